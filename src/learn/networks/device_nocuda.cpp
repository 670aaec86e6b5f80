#include "learn/autograd/torch_compat.h"
#include "learn/networks/device.h"

namespace causcale {

bool cuda_available() {
  return false;
}

std::string why_no_cuda() {
  return "this build has no CUDA support (configure with the preset 'cuda')";
}

DeviceInfo device_info() {
  return {TORCH_VERSION, ""};
}

}  // namespace causcale
