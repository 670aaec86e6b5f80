#include <cuda_runtime_api.h>

#include "learn/autograd/torch_compat.h"
#include "learn/networks/device.h"

namespace causcale {

bool cuda_available() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::string why_no_cuda() {
  return "no CUDA device is present";
}

DeviceInfo device_info() {
  DeviceInfo info{TORCH_VERSION, ""};
  cudaDeviceProp properties{};
  if (cuda_available() && cudaGetDeviceProperties(&properties, 0) == cudaSuccess) info.gpu = properties.name;
  return info;
}

}  // namespace causcale
