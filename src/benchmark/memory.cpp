#include "benchmark/memory.h"

namespace causcale {

MemoryWatch::MemoryWatch(const core::Network& network) : network_(network) {
  if (network_.prefers_batches())
    network_.reset_peak();
  else
    process_.emplace();
}

std::int64_t MemoryWatch::peak_bytes() const {
  return process_ ? process_->bytes().value_or(0) : network_.peak_bytes();
}

}  // namespace causcale
