// What the trainer needs from a device beyond tensors. Built once with and once without CUDA.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "causcale/discover.h"

namespace causcale {

// Throws UsageError when it is not there. Of several processes on one machine, number `local_rank` takes the
// CUDA device of that number, or the only one that it can see.
at::Device training_device(Device wanted, int local_rank = 0);

// Most bytes of tensors at any time since the last reset; on the CPU, of the process since its start.
std::int64_t peak_memory(at::Device device);
void reset_peak_memory(at::Device device);
// Waits until everything handed to the device is done.
void synchronise(at::Device device);

// A copy of a small tensor on its way to the host, which meanwhile goes on handing out work.
class PendingRead {
 public:
  explicit PendingRead(const at::Tensor& tensor);
  // Waits for it if need be.
  at::Tensor get() const;

 private:
  at::Tensor host_;
  std::shared_ptr<void> event_;
};

}  // namespace causcale
