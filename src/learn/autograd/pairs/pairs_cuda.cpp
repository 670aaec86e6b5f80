#include "learn/autograd/pairs/pairs_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>

#include "learn/autograd/cuda/context.h"
#include "learn/autograd/pairs/pairs_kernels.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;

cuda::PairShape shape_of(std::int64_t batch, std::int64_t nodes, std::int64_t bytes, bool reversed) {
  return {batch, nodes, bytes / 16, reversed};
}

Tensor forward_pass(const Tensor& graph, bool reversed) {
  const c10::DeviceGuard guard(graph.device());
  const std::int64_t B = graph.size(0), n = graph.size(1), d = graph.size(3);
  Tensor joined = at::empty({B, n * (n - 1) / 2, 2 * d}, graph.options());
  cuda::join_pairs(graph.data_ptr(), joined.data_ptr(), shape_of(B, n, d * graph.element_size(), reversed),
                   cuda::current_context().stream);
  return joined;
}

class PairsFunction : public torch::autograd::Function<PairsFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& graph, bool reversed) {
    ctx->saved_data["nodes"] = graph.size(1);
    ctx->saved_data["reversed"] = reversed;
    return forward_pass(graph, reversed);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const Tensor gradient = outputs[0].contiguous();
    const c10::DeviceGuard guard(gradient.device());
    const std::int64_t B = gradient.size(0), n = ctx->saved_data["nodes"].toInt(), d = gradient.size(2) / 2;
    const Tensor cells = at::empty({B, n, n, d}, gradient.options());
    cuda::part_pairs(gradient.data_ptr(), cells.data_ptr(),
                     shape_of(B, n, d * gradient.element_size(), ctx->saved_data["reversed"].toBool()),
                     cuda::current_context().stream);
    return {cells, Tensor()};
  }
};

}  // namespace

bool join_pairs_cuda_supports(const Tensor& graph) {
  return graph.dim() == 4 && graph.size(1) == graph.size(2) && graph.size(1) >= 2 && graph.size(0) > 0 &&
         graph.size(3) > 0 && graph.size(3) % 8 == 0 &&
         graph.numel() / 4 < std::numeric_limits<std::int32_t>::max() / 2 && cuda::has_kernels(graph);
}

Tensor join_pairs_cuda(const Tensor& graph, bool reversed) {
  const Tensor cells = graph.contiguous();
  return wants_gradient({graph}) ? PairsFunction::apply(cells, reversed) : forward_pass(cells, reversed);
}

}  // namespace causcale::autograd
