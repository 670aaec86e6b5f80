#include "core/arena.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "causcale/error.h"

namespace causcale::core {
namespace {

constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

}  // namespace

Arena::Arena(std::int64_t bytes) : size_(bytes) {
  const std::int64_t alignment = bytes >= kHugePage ? kHugePage : ArenaPlan::kAlignment;
  const std::int64_t whole = (bytes + alignment - 1) / alignment * alignment;
  memory_ = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(whole)));
  if (!memory_ && whole > 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (bytes >= kHugePage) madvise(memory_, static_cast<std::size_t>(whole), MADV_HUGEPAGE);  // a hint
#endif
}

Arena::~Arena() {
  std::free(memory_);
}

void* Arena::take_bytes(std::int64_t bytes) {
  std::byte* place = memory_ + used_;
  used_ += ArenaPlan::rounded(bytes);
  if (used_ > size_) throw Error("the network's memory was planned too small");
  return place;
}

}  // namespace causcale::core
