#include "learn/networks/spectral_radius.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace causcale {
namespace {

constexpr double kTiny = 1e-30;  // nothing is divided by zero where a matrix has no cycle at all

at::Tensor normalised(const at::Tensor& vectors) {
  return vectors / vectors.norm(2, {-1}, /*keepdim=*/true).clamp_min(kTiny);
}

}  // namespace

at::Tensor spectral_radius(const at::Tensor& matrices, int iterations) {
  at::Tensor left, right;  // [B, n]
  {
    const c10::NoGradGuard no_grad;
    const at::Tensor fixed = matrices.detach(), mirrored = fixed.transpose(1, 2);
    left = right = at::ones({fixed.size(0), fixed.size(1)}, fixed.options());
    const auto advanced = [](const at::Tensor& by, const at::Tensor& vectors) {
      return normalised(at::matmul(by, vectors.unsqueeze(-1)).squeeze(-1));
    };
    for (int k = 0; k < iterations; ++k) {
      left = advanced(mirrored, left);
      right = advanced(fixed, right);
    }
  }
  const at::Tensor stretched = at::matmul(matrices, right.unsqueeze(-1)).squeeze(-1);  // [B, n]
  return (left * stretched).sum(-1) / (left * right).sum(-1).clamp_min(kTiny);
}

}  // namespace causcale
