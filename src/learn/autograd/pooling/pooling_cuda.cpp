#include "learn/autograd/pooling/pooling_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <vector>

#include "core/cuda/pooling_kernels.h"
#include "learn/autograd/cuda/context.h"
#include "learn/autograd/torch_compat.h"

namespace causcale::autograd {
namespace {

using at::Tensor;

cuda::PoolShape shape_of(at::IntArrayRef sizes, std::int64_t r) {
  return {sizes[0], sizes[1], sizes[2] * sizes[3] / 8, static_cast<int>(r)};
}

Tensor forward_pass(const Tensor& x, std::int64_t r) {
  const c10::DeviceGuard guard(x.device());
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes[1] /= r;
  Tensor y = at::empty(sizes, x.options());
  cuda::pool(x.data_ptr(), y.data_ptr(), shape_of(x.sizes(), r), cuda::storage_of(x),
             cuda::current_context().stream);
  return y;
}

class PoolingFunction : public torch::autograd::Function<PoolingFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, std::int64_t r) {
    ctx->saved_data["sizes"] = x.sizes().vec();
    ctx->saved_data["r"] = r;
    return forward_pass(x, r);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list outputs) {
    const Tensor dy = outputs[0].contiguous();
    const c10::DeviceGuard guard(dy.device());
    const std::vector<std::int64_t> sizes = ctx->saved_data["sizes"].toIntVector();
    const Tensor dx = at::empty(sizes, dy.options());
    cuda::pool_backward(dy.data_ptr(), dx.data_ptr(), shape_of(sizes, ctx->saved_data["r"].toInt()),
                        cuda::storage_of(dy), cuda::current_context().stream);
    return {dx, Tensor()};
  }
};

}  // namespace

bool mean_of_groups_cuda_supports(const Tensor& data, std::int64_t r) {
  return data.dim() == 4 && r >= 1 && data.size(1) >= r && r < std::numeric_limits<std::int32_t>::max() &&
         data.numel() > 0 && data.size(2) * data.size(3) % 8 == 0 &&
         data.numel() / 8 < std::numeric_limits<std::int32_t>::max() / 2 && cuda::has_kernels(data);
}

Tensor mean_of_groups_cuda(const Tensor& data, std::int64_t r) {
  const Tensor x = data.contiguous();
  return wants_gradient({data}) ? PoolingFunction::apply(x, r) : forward_pass(x, r);
}

}  // namespace causcale::autograd
