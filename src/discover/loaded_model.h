// A model made ready once for any number of data sets: on its device, in its type.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "causcale/discover.h"
#include "metrics/temperature.h"
#include "model/checkpoint.h"
#include "model/prepared_model.h"

namespace causcale {

struct LoadedModel {
  std::shared_ptr<const Model> model;       // on `device`, in `dtype`
  std::shared_ptr<PreparedModel> prepared;  // the same weights, for passes through the network
  std::string name, sha256;
  at::Device device = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  // From the metadata, see metrics/temperature.h: "temperature" of one pass; "mean_temperature" and
  // "mean_offset" of the mean of "mean_of" passes, 1 where they are not stated.
  double temperature = 1.0;
  ProbabilityScale mean;
  int mean_of = 1;

  // For the mean of so many passes. What separates it from one pass grows like 1 - 1 / passes, the share of
  // their disagreement that averaging takes away. Without a scale of means it is that of one pass.
  ProbabilityScale scale(int passes) const;
};

// Of the options, model, device and precision count. Throws UsageError or InputError: an unknown model, no
// such device, a temperature that is no positive number.
LoadedModel load_for_discover(const DiscoverOptions& options);

// As discover(dataset, options), whose model, device and precision have been settled already. Safe from
// several threads with one model.
DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options, const LoadedModel& loaded);

}  // namespace causcale
