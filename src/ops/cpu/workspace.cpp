#include "ops/cpu/workspace.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace causcale::ops {

Workspace::~Workspace() {
  std::free(data_);
}

float* Workspace::reserve(std::size_t count) {
  if (count <= capacity_) return data_;
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t bytes = (count * sizeof(float) + kHugePage - 1) / kHugePage * kHugePage;
  std::free(data_);
  capacity_ = 0;
  data_ = static_cast<float*>(std::aligned_alloc(kHugePage, bytes));
  if (!data_) throw std::bad_alloc();
  madvise(data_, bytes, MADV_HUGEPAGE);  // a hint: fewer page faults where the system grants it
  capacity_ = bytes / sizeof(float);
  return data_;
}

}  // namespace causcale::ops
