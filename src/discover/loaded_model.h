// A model made ready once for any number of data sets: on its device, in its precision.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "causcale/discover.h"
#include "core/card.h"
#include "core/network.h"

namespace causcale {

class StackedModel;

struct LoadedModel {
  std::shared_ptr<const ModelCard> card;
  std::shared_ptr<const core::Network> network;
  std::shared_ptr<const StackedModel> stacking;  // its second stage (stacking/stacked_model.h); may be null
  // A second network, of other training, that is asked for the second stage; may be null.
  std::shared_ptr<const LoadedModel> companion;
  std::string name, sha256;
  Device device = Device::kCpu;               // kCpu or kCuda
  Precision precision = Precision::kFloat32;  // kFloat32 or kBfloat16

  std::int64_t weight_bytes() const;  // of all networks
};

// Of the options, model, device, precision and whether a second stage is wanted count. Throws UsageError or
// InputError: an unknown model, no such device, a card that says something impossible.
LoadedModel load_for_discover(const DiscoverOptions& options);
// The same on all processes that torchrun, mpirun or srun has started: each makes a part of every pass. On
// all but the first this returns when the first has let go of its network, and `network` is null.
LoadedModel load_distributed(const DiscoverOptions& options);

// As discover(dataset, options), whose model, device and precision have been settled already. Safe from
// several threads with one model.
DiscoverResult discover(const Dataset& dataset, const DiscoverOptions& options, const LoadedModel& loaded);
// Likewise.
DiscoverPlan plan_discover(std::size_t rows, std::size_t columns, const DiscoverOptions& options,
                           const LoadedModel& loaded);

}  // namespace causcale
