#include "learn/networks/device.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include "causcale/error.h"

namespace causcale {

at::Device tensor_device(Device wanted, std::string_view option) {
  if (wanted == Device::kCpu) return at::kCPU;
  if (cuda_available()) return at::Device(at::kCUDA, 0);
  if (wanted == Device::kAuto) return at::kCPU;
  throw UsageError(fmt::format("{}: {}; accepted: auto, cpu", option, why_no_cuda()));
}

}  // namespace causcale
