#include "base/peak_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace causcale {
namespace {

// A line such as "VmHWM:   123456 kB" of the process's status.
std::optional<std::int64_t> status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return std::nullopt;
}

bool reset_high_water_mark() {
  std::ofstream control("/proc/self/clear_refs");
  control << "5" << std::flush;
  return control.good();
}

}  // namespace

std::int64_t physical_memory() {
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t resident_memory() {
  return status_bytes("VmRSS").value_or(0);
}

std::int64_t largest_resident_memory() {
  return status_bytes("VmHWM").value_or(0);
}

PeakMemory::PeakMemory() {
  malloc_trim(0);  // or memory that earlier work gave back would hide what this work takes
  if (reset_high_water_mark()) start_ = status_bytes("VmRSS");
}

std::optional<std::int64_t> PeakMemory::bytes() const {
  const std::optional<std::int64_t> peak = status_bytes("VmHWM");
  if (!start_ || !peak) return std::nullopt;
  return std::max<std::int64_t>(0, *peak - *start_);
}

}  // namespace causcale
