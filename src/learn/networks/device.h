// What this build can compute on.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <string_view>

#include "causcale/discover.h"

namespace causcale {

struct DeviceInfo {
  std::string torch_version;
  std::string gpu;  // name of the first CUDA device; empty when there is none
};
DeviceInfo device_info();
bool cuda_available();
std::string why_no_cuda();  // when it is not available

// The first CUDA device or the CPU. Throws UsageError when CUDA was asked for and is not there; `option` is
// what the user wrote.
at::Device tensor_device(Device wanted, std::string_view option = "--device cuda");

}  // namespace causcale
