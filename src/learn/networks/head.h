// From the graph stream to edges and outputs: logits, probabilities and losses of the pairwise head and of
// the vanilla head.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/channels.h"
#include "learn/networks/parameters.h"

namespace causcale {

// Each pair i < j can be read as (i, j) or as (j, i); in the second the classes i -> j and j -> i change
// places.
enum class PairReading { kForward, kBackward };

// graph [B, n, n, d] -> logits [B, n(n-1)/2, 3 + K] of the pairs i < j in row-major order, always in the
// classes none, i -> j, j -> i, then of K outputs. `fused`: with the CUDA kernel of autograd/pairs.
at::Tensor pairwise_logits(const ProjectionParams& head, const at::Tensor& graph, PairReading reading,
                           bool fused = false);

// The same from what lies at the cells (i, j) and (j, i) side by side, [.., 2d] -> [.., 3 + K].
at::Tensor joined_logits(const ProjectionParams& head, const at::Tensor& joined);

// graph [B, n, n, d] -> [B, 1 + K, n, n]: edges, row -> column, then the outputs, symmetric; zero diagonals;
// the mean of both readings if symmetrised.
at::Tensor pairwise_probabilities(const ProjectionParams& head, const PairOutputs& outputs,
                                  const at::Tensor& graph, bool symmetrised, bool fused = false);
// Of edges, where the classes alone say half of it: a pair that acts both ways is taught as either direction,
// as likely as not. Both [..., n, n].
at::Tensor edges_with_feedback(const at::Tensor& classes, const at::Tensor& feedback);

// graph [B, n, n, d] -> [B, n, n]: one logit per ordered pair.
at::Tensor vanilla_logits(const ProjectionParams& head, const at::Tensor& graph);
at::Tensor vanilla_probabilities(const ProjectionParams& head, const at::Tensor& graph);
// Of one logit per ordered pair.
at::Tensor ordered_probabilities(const at::Tensor& logits);

// Mean over the real pairs of the batch of the cross entropy (natural logarithm); `cols` as in ModelInput.
at::Tensor pairwise_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                         const std::vector<std::int64_t>& cols);
// [K]: of each output the mean over the pairs whose label is known. `labels` [B, K, n, n]: 1, 0, or -1 where
// nobody knows.
at::Tensor output_losses(const at::Tensor& logits, const at::Tensor& labels,
                         const std::vector<std::int64_t>& cols);
at::Tensor vanilla_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                        const std::vector<std::int64_t>& cols);

// Zeroes the diagonal and everything outside a data set's true size. [B, n, n] or [B, K, n, n].
at::Tensor mask_edges(const at::Tensor& probabilities, const std::vector<std::int64_t>& cols);

}  // namespace causcale
