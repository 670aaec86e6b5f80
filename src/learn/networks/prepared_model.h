// A network made ready for many forward passes: on a GPU its weights are packed once, and passes of small
// inputs that come again in the same shape are recorded and replayed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "learn/autograd/cuda/packed_weights.h"
#include "learn/networks/causcale.h"
#include "learn/networks/recorded_pass.h"
#include "learn/networks/side_stream.h"

namespace causcale {

class PreparedModel {
 public:
  // Keeps handles of the weights. Changes in place are noticed; between calls only.
  PreparedModel(const ModelParams& params, const ModelConfig& config);

  // As the function of that name. Of the options, pack_once, replay and overlap choose what is prepared;
  // whatever cannot be is computed as ever. Safe from several threads.
  at::Tensor pair_probabilities(const ModelInput& input, bool symmetrised, const ExecutionOptions& execution);

  // Recordings that exist at the moment.
  std::size_t recordings() const;

 private:
  // What two passes must have in common to share a recording.
  using Shape = std::tuple<std::vector<std::int64_t>, int, bool, bool, bool, bool, bool, std::int64_t>;
  struct Entry {
    Shape shape;
    bool failed = false;
    std::unique_ptr<SideStream> side;
    std::unique_ptr<RecordedPass> recording;  // null until the shape comes for the second time
  };

  std::uint64_t count_changes() const;
  using Run = std::function<at::Tensor(const ModelInput& input, SideStream* side)>;
  at::Tensor replayed(const ModelInput& input, const Shape& shape, bool overlap, const Run& run);

  ModelParams params_;
  ModelConfig config_;
  std::vector<at::Tensor> tensors_;  // all of params_
  autograd::PackedWeights packed_;
  mutable std::mutex turn_;    // guards what follows
  std::list<Entry> entries_;   // the latest used first
  std::uint64_t changes_ = 0;  // of the weights when the recordings were made
};

}  // namespace causcale
