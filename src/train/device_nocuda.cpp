#include <sys/resource.h>

#include "causcale/error.h"
#include "train/device.h"

namespace causcale {

at::Device training_device(Device wanted, int) {
  if (wanted == Device::kCuda) throw UsageError("--device cuda: this build has no CUDA; accepted: auto, cpu");
  return at::kCPU;
}

std::int64_t peak_memory(at::Device) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

void reset_peak_memory(at::Device) {}
void synchronise(at::Device) {}

PendingRead::PendingRead(const at::Tensor& tensor) : host_(tensor.clone()) {}
at::Tensor PendingRead::get() const {
  return host_;
}

}  // namespace causcale
