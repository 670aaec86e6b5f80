// Everything that discover decides before it works: model, device, number of passes, memory.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "causcale/discover.h"
#include "model/checkpoint.h"
#include "model/execution.h"
#include "prior/covariance.h"

namespace causcale {

struct Settings {
  std::shared_ptr<const Model> model;  // on `device`, in `dtype`
  std::string model_name, model_sha256;
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  PriorScale prior_scale = PriorScale::kRaw;
  std::size_t rows_per_pass = 0;
  int passes = 1;
  ExecutionOptions execution;

  void describe(DiscoverResult& result) const;
};

// Throws UsageError or InputError: an unknown model, no such device, a memory limit that cannot be kept.
Settings settle(const DiscoverOptions& options, std::size_t rows, std::size_t columns);

}  // namespace causcale
