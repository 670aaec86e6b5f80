// From the graph stream to edges: logits, probabilities and losses of the pairwise head and of the vanilla
// head.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "model/parameters.h"

namespace causcale {

// Each pair i < j can be read as (i, j) or as (j, i); in the second the classes i -> j and j -> i change
// places.
enum class PairReading { kForward, kBackward };

// graph [B, n, n, d] -> logits [B, n(n-1)/2, 3] of the pairs i < j in row-major order, always in the classes
// none, i -> j, j -> i. `fused`: with the CUDA kernel of ops/pairs.
at::Tensor pairwise_logits(const ProjectionParams& head, const at::Tensor& graph, PairReading reading,
                           bool fused = false);

// graph [B, n, n, d] -> [B, n, n], row -> column, zero diagonal; the mean of both readings if
// symmetrised.
at::Tensor pairwise_probabilities(const ProjectionParams& head, const at::Tensor& graph, bool symmetrised,
                                  bool fused = false);

// graph [B, n, n, d] -> [B, n, n]: one logit per ordered pair.
at::Tensor vanilla_logits(const ProjectionParams& head, const at::Tensor& graph);
at::Tensor vanilla_probabilities(const ProjectionParams& head, const at::Tensor& graph);
// Of one logit per ordered pair.
at::Tensor ordered_probabilities(const at::Tensor& logits);

// Mean over the real pairs of the batch of the cross entropy (natural logarithm); `cols` as in ModelInput.
at::Tensor pairwise_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                         const std::vector<std::int64_t>& cols);
at::Tensor vanilla_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                        const std::vector<std::int64_t>& cols);

// Zeroes the diagonal and everything outside a data set's true size.
at::Tensor mask_edges(const at::Tensor& probabilities, const std::vector<std::int64_t>& cols);

}  // namespace causcale
