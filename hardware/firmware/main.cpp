// The pocket sensors' board: six beams in, drops out, each until the host has acknowledged it.
//
// D2..D7 are the receivers (FL FR ML MR RL RR, low while the beam is broken), D8 switches the light of all beams (low: on),
// D13 is lit while a drop waits for the host. Once in ten seconds the light is switched off for a moment: a beam that
// does not notice is faulty. A board without the switch has D9 wired to ground, and makes no such test.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "beam.hpp"
#include "clock.hpp"
#include "drops.hpp"
#include "line.hpp"
#include "serial.hpp"

namespace {

using namespace board;

const char* const kVersion = "1.0";
const char* const kNames[kPockets] = {"FL", "FR", "ML", "MR", "RL", "RR"};
constexpr uint16_t kBeatMs = 1000;
constexpr uint16_t kTestEveryMs = 10000;
constexpr uint8_t kDarkMs = 4;  // receivers are slower than light
constexpr uint8_t kBrightMs = 2;
constexpr uint8_t kDark = _BV(PB0);
constexpr uint8_t kNoSwitch = _BV(PB1);
constexpr uint8_t kLamp = _BV(PB5);

Beam beams[kPockets];
Drops drops;
Listener listener;
uint16_t next_seq = 0;
uint32_t uptime_s = 0;
uint32_t looked_ms = 0;     // the instant of the last look that was taken from the ring
uint8_t looked = 0;         // how many looks have been taken
uint32_t next_test_ms = 2000;
uint8_t test_left_ms = 0;

void set_up() {
  PORTD |= 0xFC;  // pull-ups: a receiver that is not plugged in reads whole, and the test finds it
  DDRB |= kDark | kLamp;
  PORTB |= kNoSwitch;  // its pull-up
  start_serial();
  start_clock();
  wdt_enable(WDTO_500MS);
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
}

void greet() {
  Line line("HI", next_seq++, now_ms());
  line.letter(',');
  line.text(kVersion);
  line.text("," BOARD_ID ",");
  for (uint8_t k = 0; k < kPockets; ++k) {
    if (k != 0) line.letter('.');
    line.text(kNames[k]);
  }
  line.end();
}

void beat() {
  Line line("HB", next_seq++, now_ms());
  line.number(uptime_s);
  line.letter(',');
  for (const Beam& beam : beams) line.letter(beam.state());
  line.end();
}

void tell(const Drop& drop) {
  Line line("DR", drop.seq, drop.ms);
  line.letter(',');
  line.text(kNames[drop.pocket]);
  line.number(drop.lasted_ms);
  line.end();
}

bool are_all_quiet() {
  for (const Beam& beam : beams) {
    if (!beam.is_quiet()) return false;
  }
  return true;
}

// The light is off for a few looks; they are no breaks. Begins only when no ball is near a beam.
bool is_in_test(uint8_t broken) {
  if (test_left_ms != 0) {
    --test_left_ms;
    if (test_left_ms == kBrightMs) {
      for (uint8_t k = 0; k < kPockets; ++k) beams[k].is_faulty = !(broken >> k & 1);
      PORTB &= ~kDark;
    }
    return true;
  }
  if (static_cast<int32_t>(looked_ms - next_test_ms) < 0 || !are_all_quiet()) return false;
  next_test_ms = looked_ms + kTestEveryMs;
  if (!(PINB & kNoSwitch)) return false;
  test_left_ms = kDarkMs + kBrightMs;
  PORTB |= kDark;
  return true;
}

void look(uint8_t broken) {
  if (is_in_test(broken)) return;
  for (uint8_t k = 0; k < kPockets; ++k) {
    Beam& beam = beams[k];
    if (beam.look(broken >> k & 1, looked_ms)) {
      drops.add(Drop{next_seq++, k, beam.broken_at_ms(), beam.lasted_ms()});
    }
  }
}

void look_at_new_samples() {
  while (looked != taken) {
    ++looked_ms;
    const uint8_t broken = samples[looked % kSamples];
    ++looked;
    look(broken);
  }
}

void listen() {
  for (int16_t byte = next_byte(); byte >= 0; byte = next_byte()) {
    if (listener.take(static_cast<char>(byte))) drops.acknowledge(listener.acknowledged());
  }
}

}  // namespace

// After a watchdog's reset the watchdog is still on, and short: switch it off before anything else.
void stop_watchdog() __attribute__((naked, used, section(".init3")));
void stop_watchdog() {
  MCUSR = 0;
  wdt_disable();
}

int main() {
  set_up();
  greet();
  uint32_t next_beat_ms = kBeatMs;
  for (;;) {
    const uint8_t before = looked;
    look_at_new_samples();
    if (looked != before) wdt_reset();  // only while the clock runs and the beams are looked at
    listen();
    if (static_cast<int32_t>(looked_ms - next_beat_ms) >= 0) {
      next_beat_ms += kBeatMs;
      ++uptime_s;
      beat();
    }
    if (const Drop* drop = drops.due(looked_ms)) tell(*drop);
    if (drops.is_empty()) {
      PORTB &= ~kLamp;
    } else {
      PORTB |= kLamp;
    }
    sleep_mode();
  }
}
