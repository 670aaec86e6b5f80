#include "core/cuda/device_memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <utility>

#include "core/cuda/check.h"

namespace causcale::cuda {

DeviceBlock::DeviceBlock(std::int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t available = 0, total = 0;
    cudaMemGetInfo(&available, &total);
    constexpr double kGibibyte = 1073741824.0;
    throw Error(fmt::format(
        "the GPU has {:.2f} GiB left of {:.2f} GiB, {:.2f} GiB more are needed: set --max-memory, "
        "use fewer rows (--max-samples), or --device cpu",
        static_cast<double>(available) / kGibibyte, static_cast<double>(total) / kGibibyte,
        static_cast<double>(bytes) / kGibibyte));
  }
  check(status, "cudaMalloc");
  data_ = static_cast<std::byte*>(memory);
}

DeviceBlock::~DeviceBlock() {
  if (data_ != nullptr) cudaFree(data_);
}

DeviceBlock::DeviceBlock(DeviceBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBlock& DeviceBlock::operator=(DeviceBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace causcale::cuda
