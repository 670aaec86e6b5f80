// How much memory a piece of work took at its peak, beyond what was in use before it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "base/peak_memory.h"

namespace causcale {

// On CUDA: tensors. On the CPU: resident memory of the process, as the kernel counts it; 0 where it does not.
class MemoryWatch {
 public:
  explicit MemoryWatch(at::Device device);
  std::int64_t peak_bytes() const;

 private:
  at::Device device_;
  std::int64_t tensors_before_ = 0;    // on CUDA
  std::optional<PeakMemory> process_;  // on the CPU
};

}  // namespace causcale
