#include "benchmark/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "train/device.h"

namespace causcale {
namespace {

// A field of /proc/self/status in bytes.
std::int64_t process_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == field) {
      std::int64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

}  // namespace

MemoryWatch::MemoryWatch(at::Device device) : device_(device) {
  if (device_.is_cuda()) {
    synchronise(device_);
    reset_peak_memory(device_);
    before_ = peak_memory(device_);  // right after a reset: what is in use now
  } else {
    std::ofstream("/proc/self/clear_refs") << "5";  // the high-water mark starts anew
    before_ = process_bytes("VmRSS:");
  }
}

std::int64_t MemoryWatch::peak_bytes() const {
  const std::int64_t peak = device_.is_cuda() ? peak_memory(device_) : process_bytes("VmHWM:");
  return std::max<std::int64_t>(0, peak - before_);
}

}  // namespace causcale
