// One pocket's beam: pulses told from flickers by their length.
#pragma once

#include <stdint.h>

namespace board {

class Beam {
 public:
  // A ball of 60 mm that falls at 2 m/s breaks the beam for 30 ms; nothing that is shorter than this is a ball.
  static constexpr uint8_t kBrokenMs = 5;
  // The beam must have been whole for so long before a break has ended.
  static constexpr uint8_t kWholeMs = 8;

  // Take one look, made at `ms`. True when a break has just ended: then `broken_at_ms` and `lasted_ms` are its.
  bool look(bool is_broken, uint32_t ms) {
    if (is_broken == is_blocked_) {
      run_ms_ = 0;
      return false;
    }
    if (run_ms_ == 0) since_ms_ = ms;
    ++run_ms_;
    if (!is_blocked_ && run_ms_ >= kBrokenMs) {
      is_blocked_ = true;
      broken_at_ms_ = since_ms_;
      run_ms_ = 0;
    } else if (is_blocked_ && run_ms_ >= kWholeMs) {
      is_blocked_ = false;
      lasted_ms_ = since_ms_ - broken_at_ms_;
      run_ms_ = 0;
      return true;
    }
    return false;
  }

  bool is_blocked() const { return is_blocked_; }
  bool is_quiet() const { return !is_blocked_ && run_ms_ == 0; }
  uint32_t broken_at_ms() const { return broken_at_ms_; }
  uint32_t lasted_ms() const { return lasted_ms_; }

  bool is_faulty = false;  // it stayed whole when its light was switched off: a cut wire, or foreign light

  char state() const { return is_faulty ? 'X' : is_blocked_ ? '1' : '0'; }

 private:
  bool is_blocked_ = false;
  uint8_t run_ms_ = 0;
  uint32_t since_ms_ = 0;
  uint32_t broken_at_ms_ = 0;
  uint32_t lasted_ms_ = 0;
};

}  // namespace board
