// How much memory there is, and how much a piece of work took within one process.
#pragma once

#include <cstdint>
#include <optional>

namespace causcale {

std::int64_t physical_memory();  // bytes of this computer

// What this process has in memory now, and the most that it ever had; 0 where the system does not tell.
std::int64_t resident_memory();
std::int64_t largest_resident_memory();

// Counts from its construction. Only one at a time: the kernel keeps one high-water mark a process.
class PeakMemory {
 public:
  PeakMemory();
  // The most bytes that were resident at any time since, beyond those resident at the start; nothing where
  // the system does not tell (it takes Linux, and permission to reset the mark).
  std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> start_;
};

}  // namespace causcale
