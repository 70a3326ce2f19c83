// Drops that the host has not acknowledged yet, oldest first.
#pragma once

#include <stdint.h>

namespace board {

struct Drop {
  uint16_t seq;
  uint8_t pocket;
  uint32_t ms;
  uint32_t lasted_ms;
};

class Drops {
 public:
  static constexpr uint8_t kMost = 64;
  static constexpr uint8_t kResendMs = 200;

  // When nobody has listened for so many drops, the oldest is of no use any more.
  void add(const Drop& drop) {
    if (count_ == kMost) remove();
    drops_[(first_ + count_) % kMost] = drop;
    ++count_;
  }

  // One drop is on its way at a time, so that the host hears them in their order.
  const Drop* due(uint32_t now_ms) {
    if (count_ == 0 || (is_sent_ && now_ms - sent_ms_ < kResendMs)) return nullptr;
    is_sent_ = true;
    sent_ms_ = now_ms;
    return &drops_[first_];
  }

  void acknowledge(uint16_t seq) {
    if (count_ != 0 && is_sent_ && drops_[first_].seq == seq) remove();
  }

  bool is_empty() const { return count_ == 0; }

 private:
  void remove() {
    first_ = (first_ + 1) % kMost;
    --count_;
    is_sent_ = false;
  }

  Drop drops_[kMost];
  uint8_t first_ = 0;
  uint8_t count_ = 0;
  bool is_sent_ = false;
  uint32_t sent_ms_ = 0;
};

}  // namespace board
