#include "model/projection.h"

#include <ATen/ATen.h>

namespace causcale {

at::Tensor project(const ProjectionParams& params, const at::Tensor& x) {
  const at::Tensor hidden = at::gelu(at::linear(x, params.first.weight, params.first.bias));
  const at::Tensor normed =
      at::layer_norm(hidden, {hidden.size(-1)}, params.norm.weight, params.norm.bias, 1e-5);
  return at::linear(normed, params.second.weight, params.second.bias);
}

}  // namespace causcale
