// Lists of plain structures one after the other in a single block of memory, to be copied to a GPU in one go.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace causcale {

// Returns where the items begin: a multiple of 16.
template <class T>
std::size_t append_packed(const std::vector<T>& items, std::vector<std::byte>& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  constexpr std::size_t kAlignment = 16;
  const std::size_t begin = (bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
  bytes.resize(begin + items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(bytes.data() + begin, items.data(), items.size() * sizeof(T));
  return begin;
}

}  // namespace causcale
