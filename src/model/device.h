// What this build can compute on.
#pragma once

#include <string>

namespace causcale {

struct DeviceInfo {
  std::string torch_version;
  std::string gpu;  // name of the first CUDA device; empty when there is none
};
DeviceInfo device_info();
bool cuda_available();

}  // namespace causcale
