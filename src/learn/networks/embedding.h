// First step of both streams: Linear, then LayerNorm; and the graph stream's last LayerNorm.
#pragma once

#include "core/config.h"
#include "learn/autograd/attention/attention.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

// data [B, m, n, 2 + channels] -> [B, m, n, d]
at::Tensor embed_data(const ModelParams& params, const at::Tensor& data, const autograd::GridSizes& sizes,
                      const ExecutionOptions& execution);

// prior [B, n, n], pairs [B, n, n, channels] or undefined -> [B, n, n, d]; all ones take the prior's place
// where the configuration has none.
at::Tensor embed_graph(const ModelParams& params, const ModelConfig& config, const at::Tensor& prior,
                       const at::Tensor& pairs, const autograd::GridSizes& sizes,
                       const ExecutionOptions& execution);

// [B, n, n, d] -> [B, n, n, d]
at::Tensor final_norm(const ModelParams& params, const at::Tensor& graph);

}  // namespace causcale
