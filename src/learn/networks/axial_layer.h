// Row attention, column attention, feed-forward: each x + f(LayerNorm(x)).
#pragma once

#include <string>

#include "core/config.h"
#include "learn/autograd/attention/attention.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

struct AxialOptions {
  const ModelConfig& config;
  ScoreScaling scaling;
  bool of_pairs;  // the graph stream, both of whose axes are variables
  const ExecutionOptions& execution;
  const Trace& trace;
  std::string trace_prefix;
};

// x [B, R, C, d] -> [B, R, C, d]. Takes x by value: a caller that moves it in lets go of its memory, which
// may then be written over.
at::Tensor axial_layer(const AxialParams& params, at::Tensor x, const autograd::GridSizes& sizes,
                       const AxialOptions& options);

}  // namespace causcale
