// The line protocol: `$CM,<type>,<seq>,<ms>,<fields>*<crc>` with CR LF, CRC-16/CCITT-FALSE.
#pragma once

#include <stdint.h>
#include <util/crc16.h>

#include "serial.hpp"

namespace board {

constexpr uint16_t kCrcStart = 0xFFFF;

// Sends one line piece by piece, the checksum on its way.
class Line {
 public:
  explicit Line(const char* type, uint16_t seq, uint32_t ms) {
    send('$');
    text("CM,");
    text(type);
    number(seq);
    number(ms);
  }

  void text(const char* words) {
    while (*words) letter(*words++);
  }

  void letter(char value) {
    crc_ = _crc_xmodem_update(crc_, value);
    send(value);
  }

  // A comma and a number.
  void number(uint32_t value) {
    char digits[10];
    uint8_t count = 0;
    do {
      digits[count++] = '0' + value % 10;
      value /= 10;
    } while (value != 0);
    letter(',');
    while (count != 0) letter(digits[--count]);
  }

  void end() {
    send('*');
    for (int8_t shift = 12; shift >= 0; shift -= 4) {
      const uint8_t digit = crc_ >> shift & 15;
      send(digit < 10 ? '0' + digit : 'A' + digit - 10);
    }
    send('\r');
    send('\n');
  }

 private:
  uint16_t crc_ = kCrcStart;
};

// Collects the host's bytes; the only line of it that means anything is an acknowledgement.
class Listener {
 public:
  // True when an acknowledgement has just been completed: then `acknowledged` is its number.
  bool take(char byte) {
    if (byte == '$') {
      length_ = 0;
      is_open_ = true;
    }
    if (!is_open_) return false;
    if (byte == '\n') {
      is_open_ = false;
      return read();
    }
    if (length_ == sizeof(line_)) {
      is_open_ = false;
      return false;
    }
    line_[length_++] = byte;
    return false;
  }

  uint16_t acknowledged() const { return acknowledged_; }

 private:
  static constexpr uint8_t kMost = 81;  // 80 and CR
  static constexpr uint8_t kTail = 6;   // `*`, four digits, CR

  bool read() {
    static const char start[] = "$CM,AK,";
    constexpr uint8_t head = sizeof(start) - 1;
    if (length_ < head + kTail || line_[length_ - 1] != '\r') return false;
    for (uint8_t k = 0; k < head; ++k) {
      if (line_[k] != start[k]) return false;
    }
    const uint8_t star = length_ - kTail;
    if (line_[star] != '*' || !is_sum_right(star)) return false;
    uint8_t at = head;
    uint32_t value = 0;
    if (!number(at, star, value) || value > 0xFFFF || line_[at++] != ',') return false;
    if (!number(at, star, value) || line_[at++] != ',') return false;
    if (!number(at, star, value) || value > 0xFFFF || at != star) return false;
    acknowledged_ = value;
    return true;
  }

  bool is_sum_right(uint8_t star) const {
    uint16_t crc = kCrcStart;
    for (uint8_t k = 1; k < star; ++k) crc = _crc_xmodem_update(crc, line_[k]);
    for (uint8_t k = 0; k < 4; ++k) {
      const uint8_t digit = crc >> (12 - 4 * k) & 15;
      if (line_[star + 1 + k] != (digit < 10 ? '0' + digit : 'A' + digit - 10)) return false;
    }
    return true;
  }

  // The digits from `at` on; `at` is moved behind them.
  bool number(uint8_t& at, uint8_t end, uint32_t& value) const {
    const uint8_t first = at;
    value = 0;
    while (at < end && line_[at] >= '0' && line_[at] <= '9') {
      const uint8_t digit = line_[at] - '0';
      if (value > (0xFFFFFFFF - digit) / 10) return false;
      value = 10 * value + digit;
      ++at;
    }
    return at != first && (line_[first] != '0' || at - first == 1);
  }

  char line_[kMost];
  uint8_t length_ = 0;
  bool is_open_ = false;
  uint16_t acknowledged_ = 0;
};

}  // namespace board
