#include "core/cuda/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace causcale::cuda {
namespace {

// "13.0"
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_not(cudaError_t status) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "the driver of NVIDIA's GPUs is not installed (no libcuda.so.1)";
  if (status == cudaErrorInsufficientDriver)
    return fmt::format("the GPU's driver is for CUDA {}, CUDA {} or later is needed: install a newer driver",
                       version_text(driver), version_text(runtime));
  if (status == cudaErrorNoDevice || status == cudaSuccess) return "no CUDA device is present";
  return fmt::format("the GPU cannot be used: {} ({})", cudaGetErrorString(status), cudaGetErrorName(status));
}

}  // namespace

CudaDevice find_device() {
  CudaDevice device;
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  cudaDeviceProp properties{};
  if (status == cudaSuccess && count > 0) status = cudaGetDeviceProperties(&properties, kDevice);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    device.why_not = why_not(status);
    return device;
  }
  device.name = properties.name;
  device.major = properties.major;
  device.minor = properties.minor;
  if (properties.major < 8)
    device.why_not =
        fmt::format("the GPU {} has compute capability {}.{}, 8.0 or later is needed (2020 and newer)",
                    device.name, device.major, device.minor);
  return device;
}

}  // namespace causcale::cuda
