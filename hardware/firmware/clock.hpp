// The board's milliseconds, and the beams' pins looked at once in each of them.
#pragma once

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <util/atomic.h>

namespace board {

constexpr uint8_t kPockets = 6;
constexpr uint8_t kFirstPin = 2;  // D2..D7 are PD2..PD7: FL, FR, ML, MR, RL, RR

// Written by the interrupt only; `samples` is a ring, so that a long line on the wire hides no pulse from the beams.
constexpr uint8_t kSamples = 32;
volatile uint32_t milliseconds = 0;
volatile uint8_t samples[kSamples];
volatile uint8_t taken = 0;

inline uint32_t now_ms() {
  uint32_t value = 0;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { value = milliseconds; }
  return value;
}

// Timer 1 counts 16 MHz / 64 up to 250: a thousand times a second.
inline void start_clock() {
  TCCR1A = 0;
  TCCR1B = _BV(WGM12) | _BV(CS11) | _BV(CS10);
  OCR1A = F_CPU / 64 / 1000 - 1;
  TIMSK1 = _BV(OCIE1A);
}

}  // namespace board

ISR(TIMER1_COMPA_vect) {
  board::milliseconds = board::milliseconds + 1;
  // A receiver pulls its line down while its beam is broken.
  board::samples[board::taken % board::kSamples] = static_cast<uint8_t>(~PIND) >> board::kFirstPin;
  board::taken = board::taken + 1;
}
