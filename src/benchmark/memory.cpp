#include "benchmark/memory.h"

#include "train/device.h"

namespace causcale {

MemoryWatch::MemoryWatch(at::Device device) : device_(device) {
  if (device_.is_cuda()) {
    synchronise(device_);
    reset_peak_memory(device_);
    tensors_before_ = peak_memory(device_);  // right after a reset: what is in use now
  } else {
    process_.emplace();
  }
}

std::int64_t MemoryWatch::peak_bytes() const {
  if (process_) return process_->bytes().value_or(0);
  return peak_memory(device_) - tensors_before_;
}

}  // namespace causcale
