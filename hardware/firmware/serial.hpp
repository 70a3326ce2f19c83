// The serial line, 115200 baud: bytes are received by interrupt and sent while the beams' samples wait in their ring.
#pragma once

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

namespace board {

constexpr uint8_t kReceived = 128;
volatile uint8_t received[kReceived];
volatile uint8_t received_in = 0;
uint8_t received_out = 0;

inline void start_serial() {
  UCSR0A = _BV(U2X0);
  UBRR0 = 16;  // 117647 baud, 2 % fast, as every Nano's
  UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
}

inline void send(uint8_t byte) {
  while (!(UCSR0A & _BV(UDRE0))) {
  }
  UDR0 = byte;
}

// The next byte of the host, or -1.
inline int16_t next_byte() {
  if (received_out == received_in) return -1;
  const uint8_t byte = received[received_out];
  received_out = (received_out + 1) % kReceived;
  return byte;
}

}  // namespace board

ISR(USART_RX_vect) {
  const uint8_t byte = UDR0;
  const uint8_t next = (board::received_in + 1) % board::kReceived;
  if (next == board::received_out) return;  // nobody has read for long: the line is torn, the host's next one is not
  board::received[board::received_in] = byte;
  board::received_in = next;
}
