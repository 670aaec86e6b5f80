#include "learn/autograd/embedding/embedding_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/cuda/embedding_kernels.h"
#include "core/cuda/token_map.h"
#include "learn/autograd/cuda/context.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;
using cuda::kChannels;

cuda::Embedding arguments(const Tensor& values, const EmbeddingWeights& w) {
  const std::int64_t inputs = w.weight.size(1);
  return {values.data_ptr(),      w.weight.data_ptr(),     w.bias.data_ptr(),       w.norm_weight.data_ptr(),
          w.norm_bias.data_ptr(), values.numel() / inputs, static_cast<int>(inputs)};
}

// `rstd` null: no derivative is wanted.
Tensor forward_pass(const Tensor& values, const EmbeddingWeights& w, Tensor* rstd) {
  std::vector<std::int64_t> sizes = values.sizes().vec();
  sizes.back() = kChannels;
  Tensor y = at::empty(sizes, values.options());
  const cuda::Embedding args = arguments(values, w);
  if (rstd != nullptr) *rstd = at::empty({args.tokens}, values.options().dtype(at::kFloat));
  cuda::embed(args, y.data_ptr(), rstd != nullptr ? rstd->data_ptr<float>() : nullptr,
              cuda::storage_of(values), cuda::current_context().stream);
  return y;
}

class EmbeddingFunction : public torch::autograd::Function<EmbeddingFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& values, const Tensor& weight,
                        const Tensor& bias, const Tensor& norm_weight, const Tensor& norm_bias) {
    const c10::DeviceGuard guard(values.device());
    Tensor rstd;
    Tensor y = forward_pass(values, {weight, bias, norm_weight, norm_bias}, &rstd);
    ctx->save_for_backward({values, weight, bias, norm_weight, norm_bias, rstd});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const auto v = ctx->get_saved_variables();
    const c10::DeviceGuard guard(v[0].device());
    const Tensor dy = outputs[0].contiguous();
    const cuda::Embedding args = arguments(v[0], {v[1], v[2], v[3], v[4]});
    const Tensor d_weight = at::empty_like(v[1]), d_bias = at::empty_like(v[2]),
                 d_norm_weight = at::empty_like(v[3]), d_norm_bias = at::empty_like(v[4]);
    const int blocks = cuda::embed_backward_blocks(args.tokens);
    const Tensor workspace =
        at::empty({cuda::embed_backward_floats(args.inputs, blocks)}, dy.options().dtype(at::kFloat));
    cuda::embed_backward(
        args, dy.data_ptr(), v[5].data_ptr<float>(), workspace.data_ptr<float>(), blocks,
        {d_weight.data_ptr(), d_bias.data_ptr(), d_norm_weight.data_ptr(), d_norm_bias.data_ptr()},
        cuda::storage_of(dy), cuda::current_context().stream);
    return {Tensor(), d_weight, d_bias, d_norm_weight, d_norm_bias};
  }
};

}  // namespace

bool embed_cuda_supports(const Tensor& values, const EmbeddingWeights& w) {
  const auto fits = [&](const Tensor& weight) {
    return weight.scalar_type() == values.scalar_type() && weight.device() == values.device() &&
           weight.is_contiguous() && weight.size(0) == kChannels;
  };
  return values.dim() > 0 && values.numel() > 0 && (values.size(-1) == 1 || values.size(-1) == 2) &&
         w.weight.dim() == 2 && w.weight.size(1) == values.size(-1) && fits(w.weight) && fits(w.bias) &&
         fits(w.norm_weight) && fits(w.norm_bias) && !wants_gradient({values}) && cuda::has_kernels(values);
}

Tensor embed_cuda(const Tensor& values, const EmbeddingWeights& w) {
  const Tensor input = values.contiguous();
  if (!wants_gradient({w.weight, w.bias, w.norm_weight, w.norm_bias})) {
    const c10::DeviceGuard guard(values.device());
    return forward_pass(input, w, nullptr);
  }
  return EmbeddingFunction::apply(input, w.weight, w.bias, w.norm_weight, w.norm_bias);
}

}  // namespace causcale::autograd
