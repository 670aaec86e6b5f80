#include "learn/autograd/pairs/pairs.h"

#include <ATen/ATen.h>

#include "learn/autograd/pairs/pairs_cuda.h"

namespace causcale::autograd {

at::Tensor join_pairs(const at::Tensor& graph, bool reversed, bool fused) {
  if (fused && join_pairs_cuda_supports(graph)) return join_pairs_cuda(graph, reversed);
  return join_pairs_plain(graph, reversed);
}

at::Tensor join_pairs_plain(const at::Tensor& graph, bool reversed) {
  const std::int64_t n = graph.size(1);
  const at::Tensor indices = at::triu_indices(n, n, 1, at::TensorOptions(at::kLong).device(graph.device()));
  const at::Tensor cells = graph.flatten(1, 2);  // [B, n n, d]
  const at::Tensor forward = cells.index_select(1, indices[0] * n + indices[1]);
  const at::Tensor backward = cells.index_select(1, indices[1] * n + indices[0]);
  return reversed ? at::cat({backward, forward}, -1) : at::cat({forward, backward}, -1);
}

}  // namespace causcale::autograd
