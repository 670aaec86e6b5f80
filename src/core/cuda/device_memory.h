// Device memory: blocks, and places handed out from the front of one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace causcale::cuda {

// Throws Error that says how much was wanted and how much there is.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  explicit DeviceBlock(std::int64_t bytes);
  ~DeviceBlock();
  DeviceBlock(DeviceBlock&& other) noexcept;
  DeviceBlock& operator=(DeviceBlock&& other) noexcept;

  std::byte* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// Hands out places of a block in the same order for the same calls; without a block it counts what one must
// hold.
class DeviceArena {
 public:
  explicit DeviceArena(std::byte* memory = nullptr) : memory_(memory) {}

  template <class T = void>
  T* take(std::int64_t bytes) {
    std::byte* place = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += rounded(bytes);
    return reinterpret_cast<T*>(place);
  }
  std::int64_t used() const { return used_; }

  // 16-byte loads and bulk copies want less, cuBLAS' best kernels want so much.
  static constexpr std::int64_t kAlignment = 256;
  static std::int64_t rounded(std::int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  std::byte* memory_;
  std::int64_t used_ = 0;
};

}  // namespace causcale::cuda
