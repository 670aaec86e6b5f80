#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <sys/resource.h>

#include "causcale/error.h"
#include "learn/networks/device.h"
#include "learn/networks/training_device.h"

namespace causcale {

at::Device training_device(Device wanted, int local_rank) {
  const at::Device first = tensor_device(wanted);
  const int devices = static_cast<int>(c10::cuda::device_count());
  // Launchers that bind a GPU to each process show it that one alone.
  if (first.is_cpu() || devices == 1) return first;
  if (local_rank >= devices)
    throw UsageError("process " + std::to_string(local_rank) + " of this machine finds only " +
                     std::to_string(devices) + " CUDA devices: start one process per device");
  const auto index = static_cast<c10::DeviceIndex>(local_rank);
  c10::cuda::set_device(index);
  return at::Device(at::kCUDA, index);
}

std::int64_t peak_memory(at::Device device) {
  if (device.is_cuda()) {
    // The first entry is the total over the allocator's pools.
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index());
    return stats.allocated_bytes[0].peak;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void reset_peak_memory(at::Device device) {
  if (device.is_cuda()) c10::cuda::CUDACachingAllocator::resetPeakStats(device.index());
}

void synchronise(at::Device device) {
  if (device.is_cuda()) c10::cuda::device_synchronize();
}

PendingRead::PendingRead(const at::Tensor& tensor) {
  if (!tensor.is_cuda()) {
    host_ = tensor.clone();
    return;
  }
  host_ = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
  host_.copy_(tensor, /*non_blocking=*/true);
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  event_ =
      std::shared_ptr<void>(event, [](void* owned) { cudaEventDestroy(static_cast<cudaEvent_t>(owned)); });
  C10_CUDA_CHECK(cudaEventRecord(event, c10::cuda::getCurrentCUDAStream().stream()));
}

at::Tensor PendingRead::get() const {
  if (event_) C10_CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event_.get())));
  return host_;
}

}  // namespace causcale
