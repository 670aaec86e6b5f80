#include "learn/networks/projection.h"

#include <ATen/ATen.h>

namespace causcale {

namespace {

at::Tensor up_to_norm(const ProjectionParams& params, const at::Tensor& x) {
  const at::Tensor hidden = at::gelu(at::linear(x, params.first.weight, params.first.bias));
  return at::layer_norm(hidden, {hidden.size(-1)}, params.norm.weight, params.norm.bias, 1e-5);
}

}  // namespace

at::Tensor project(const ProjectionParams& params, const at::Tensor& x) {
  return at::linear(up_to_norm(params, x), params.second.weight, params.second.bias);
}

at::Tensor project_in_parts(const ProjectionParams& params, const at::Tensor& x, std::int64_t first_rows) {
  const std::int64_t others = params.second.weight.size(0) - first_rows;
  if (others == 0) return project(params, x);
  const at::Tensor normed = up_to_norm(params, x);
  const auto rows = [&](std::int64_t begin, std::int64_t count) {
    return at::linear(normed, params.second.weight.narrow(0, begin, count),
                      params.second.bias.narrow(0, begin, count));
  };
  return at::cat({rows(0, first_rows), rows(first_rows, others)}, -1);
}

}  // namespace causcale
