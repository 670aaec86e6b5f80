// The network: data and prior in, logits of every pair of variables out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/config.h"
#include "learn/networks/execution.h"
#include "learn/networks/parameters.h"

namespace causcale {

// A batch of B data sets, padded at the end of both axes to common m and n.
struct ModelInput {
  at::Tensor data;   // [B, m, n, 2 + channels]: standardised value, intervention flag, then channels
  at::Tensor prior;  // [B, n, n]
  // True sizes of each data set; both empty when nothing is padded (the fast paths want that).
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> cols;
  at::Tensor pairs = {};  // [B, n, n, channels] of pairs; undefined where the model takes none
  // What SEA is told of T sets of k variables (learn/networks/sea.h): their columns [B, T, k], and the edges
  // that an estimator drew between them [B, T, k (k - 1)]. Undefined for others.
  at::Tensor subsets = {}, estimates = {};
};

// The encoder: [B, n, n, d], the graph stream after the last block and the final layer norm.
at::Tensor encode(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                  const Trace& trace = {}, const ExecutionOptions& execution = {});

// Pairwise head on the encoder's output: logits [B, n(n-1)/2, 3 + K] of the pairs i < j in row-major
// order; classes none, i -> j, j -> i, then K outputs. (Vanilla head: [B, n, n], one logit per ordered pair.)
at::Tensor pair_logits(const ModelParams& params, const ModelConfig& config, const at::Tensor& graph,
                       const ExecutionOptions& execution = {});

// Data to logits, of whatever architecture: as pair_logits(), for AVICI [B, n, n].
at::Tensor edge_logits(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                       const ExecutionOptions& execution = {});

// [B, 1 + K, n, n]: edges, row -> column, then the model's K outputs, symmetric; zero diagonal (and zero
// outside a data set's true size).
// `symmetrised` averages the two readings of each pair, so that the order of the columns does not matter; the
// paper's head reads i < j only. Runs in inference mode.
at::Tensor pair_probabilities(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                              bool symmetrised = true, const ExecutionOptions& execution = {});
// Of edges alone, [B, n, n].
at::Tensor edge_probabilities(const ModelParams& params, const ModelConfig& config, const ModelInput& input,
                              bool symmetrised = true, const ExecutionOptions& execution = {});

// Cross entropy, mean over the real pairs of the whole batch. `adjacency` [B, n, n] with 1 at i -> j.
at::Tensor pair_loss(const ModelConfig& config, const at::Tensor& logits, const at::Tensor& adjacency,
                     const ModelInput& input);
// Of the model's K outputs, [K], each the mean over the pairs whose label is known. `labels` [B, K, n, n]: 1,
// 0, or -1 where nobody knows.
at::Tensor output_losses(const at::Tensor& logits, const at::Tensor& labels, const ModelInput& input);

}  // namespace causcale
