#include "base/torch_compat.h"
#include "model/device.h"

namespace causcale {

bool cuda_available() {
  return false;
}

DeviceInfo device_info() {
  return {TORCH_VERSION, ""};
}

}  // namespace causcale
