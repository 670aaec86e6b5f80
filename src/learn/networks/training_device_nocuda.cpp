#include <sys/resource.h>

#include "learn/networks/device.h"
#include "learn/networks/training_device.h"

namespace causcale {

at::Device training_device(Device wanted, int) {
  return tensor_device(wanted);
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
