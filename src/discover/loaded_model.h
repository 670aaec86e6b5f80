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
  AnswerScales scales;  // from the metadata
};

// Of the options, model, device and precision count. Throws UsageError or InputError: an unknown model, no
// such device, a temperature that is no positive number.
LoadedModel load_for_discover(const DiscoverOptions& options);

// As discover(dataset, options), whose model, device and precision have been settled already. Safe from
// several threads with one model.
DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options, const LoadedModel& loaded);

}  // namespace causcale
