#include <cuda_runtime_api.h>

#include "base/torch_compat.h"
#include "model/device.h"

namespace causcale {

bool cuda_available() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

DeviceInfo device_info() {
  DeviceInfo info{TORCH_VERSION, ""};
  cudaDeviceProp properties{};
  if (cuda_available() && cudaGetDeviceProperties(&properties, 0) == cudaSuccess) info.gpu = properties.name;
  return info;
}

}  // namespace causcale
