// How much memory a piece of work took at its peak, beyond what was in use before it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/peak_memory.h"
#include "core/network.h"

namespace causcale {

// On CUDA: the network's tensors. On the processor: resident memory of the process, as the kernel counts it;
// 0 where it does not.
class MemoryWatch {
 public:
  explicit MemoryWatch(const core::Network& network);
  std::int64_t peak_bytes() const;

 private:
  const core::Network& network_;
  std::optional<PeakMemory> process_;  // on the processor
};

}  // namespace causcale
