// One block of memory for a whole forward pass, handed out from front to back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace causcale::core {

// Counts what an arena must hold: the same calls as on the arena itself.
class ArenaPlan {
 public:
  template <class T>
  std::nullptr_t take(std::int64_t count) {
    bytes_ += rounded(count * static_cast<std::int64_t>(sizeof(T)));
    return nullptr;
  }
  std::int64_t bytes() const { return bytes_; }

  static std::int64_t rounded(std::int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  static constexpr std::int64_t kAlignment = 64;

 private:
  std::int64_t bytes_ = 0;
};

class Arena {
 public:
  explicit Arena(std::int64_t bytes);  // throws std::bad_alloc
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Everything is free again.
  void clear() { used_ = 0; }

  // Room for `count` values, not initialised. Throws Error when the plan was too small: a mistake in the
  // code.
  template <class T>
  T* take(std::int64_t count) {
    return static_cast<T*>(take_bytes(count * static_cast<std::int64_t>(sizeof(T))));
  }

 private:
  void* take_bytes(std::int64_t bytes);

  std::byte* memory_ = nullptr;
  std::int64_t size_ = 0, used_ = 0;
};

}  // namespace causcale::core
