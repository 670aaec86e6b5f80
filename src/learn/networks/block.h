// The three layers of a DataGraph block.
#pragma once

#include "core/config.h"
#include "learn/networks/axial_layer.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

struct BlockContext {
  const ModelConfig& config;
  const ExecutionOptions& execution;
  const Trace& trace;
  int index;  // of the block, from 0
};

// Data axial layer: data [B, m, n, d] -> [B, m, n, d].
at::Tensor data_layer(const BlockParams& params, at::Tensor data, const autograd::GridSizes& sizes,
                      const BlockContext& context);

// What the samples say about every ordered pair: data [B, m, n, d] -> w [B, n, n], w_ij = u_i . v_j.
at::Tensor data_to_graph(const BlockParams& params, const at::Tensor& data, const autograd::GridSizes& sizes,
                         const BlockContext& context);

// Takes the message in and lets the graph's axial layer work on it: graph [B, n, n, d] -> [B, n, n, d].
at::Tensor graph_layer(const BlockParams& params, at::Tensor graph, const at::Tensor& message,
                       const autograd::GridSizes& sizes, const BlockContext& context);

}  // namespace causcale
