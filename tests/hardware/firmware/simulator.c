/* The sensor board in simavr, driven line by line from standard input.
 *
 * run <until_us> <broken_mask> <cut_mask> <hex bytes from the host or ->
 *     lets the board run until an instant of its own time; answers "<hex bytes to the host or ->".
 * hang
 *     sends the program into an endless loop, as a bug would; answers "-".
 *
 * The beams' light follows the board's D8; a receiver whose wire is cut stays high. Bit 6 of <cut_mask> is the jumper
 * at D9, which says that the light has no switch.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <simavr/sim_irq.h>

enum { POCKETS = 6, FIRST_PIN = 2, MOST = 1 << 20, BYTE_US = 90 };

static avr_t *avr;
static uint8_t broken, cut, dark;
static uint8_t out[MOST];
static size_t out_count;

static void no_sleep(avr_t *board, avr_cycle_count_t cycles) {
  (void)board;
  (void)cycles;
}

static void set_beams(void) {
  for (int k = 0; k < POCKETS; ++k) {
    avr_irq_t *pin = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), FIRST_PIN + k);
    int is_low = (broken >> k & 1) || (dark && !(cut >> POCKETS & 1));
    avr_raise_irq(pin, (cut >> k & 1) ? 1 : !is_low);
  }
  int has_switch = !(cut >> POCKETS & 1);
  avr_ioport_external_t jumper = {.name = 'B', .mask = 2, .value = has_switch ? 2 : 0};
  avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('B'), &jumper);
  avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 1), has_switch);
}

static void on_light(avr_irq_t *irq, uint32_t value, void *nothing) {
  (void)irq;
  (void)nothing;
  dark = value != 0;
  set_beams();
}

static void on_byte(avr_irq_t *irq, uint32_t value, void *nothing) {
  (void)irq;
  (void)nothing;
  if (out_count < MOST) out[out_count++] = value;
}

static int run_until(uint64_t cycles) {
  while (avr->cycle < cycles) {
    int state = avr_run(avr);
    if (state == cpu_Done || state == cpu_Crashed) return 0;
  }
  return 1;
}

int main(int count, char **words) {
  static char line[MOST];
  FILE *answers = fdopen(dup(1), "w"); /* simavr itself talks on standard output */
  dup2(2, 1);
  elf_firmware_t program;
  memset(&program, 0, sizeof program);
  if (count != 2 || elf_read_firmware(words[1], &program) != 0) return 2;
  avr = avr_make_mcu_by_name("atmega328p");
  if (!avr) return 2;
  avr_init(avr);
  program.frequency = 16000000;
  avr_load_firmware(avr, &program);
  avr->log = LOG_ERROR;
  avr->sleep = no_sleep;
  uint32_t flags = 0;
  avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
  avr_irq_t *input = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte, NULL);
  avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 0), on_light, NULL);
  set_beams();
  while (fgets(line, sizeof line, stdin)) {
    unsigned long long until_us = 0;
    unsigned new_broken = 0, new_cut = 0;
    int at = 0;
    if (strncmp(line, "hang", 4) == 0) {
      uint32_t last = avr->flashend - 1; /* the last word: rjmp to itself */
      avr->flash[last] = 0xFF;
      avr->flash[last + 1] = 0xCF;
      avr->pc = last;
      fputs("-\n", answers);
      fflush(answers);
      continue;
    }
    if (sscanf(line, "run %llu %u %u %n", &until_us, &new_broken, &new_cut, &at) != 3) return 3;
    broken = new_broken;
    cut = new_cut;
    set_beams();
    out_count = 0;
    int is_alive = 1;
    for (const char *hex = line + at; is_alive && *hex && *hex != '-' && *hex != '\n'; hex += 2) {
      unsigned byte = 0;
      if (sscanf(hex, "%2x", &byte) != 1) return 3;
      avr_raise_irq(input, byte);
      is_alive = run_until(avr->cycle + BYTE_US * 16);
    }
    if (is_alive) is_alive = run_until(until_us * 16);
    if (!is_alive) {
      fputs("crashed\n", answers);
      fflush(answers);
      return 4;
    }
    if (out_count == 0) fputc('-', answers);
    for (size_t k = 0; k < out_count; ++k) fprintf(answers, "%02x", out[k]);
    fputc('\n', answers);
    fflush(answers);
  }
  return 0;
}
