#include "ops/feed_forward/feed_forward_cpu.h"

#include <ATen/ATen.h>

#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/tiles.h"

namespace causcale::ops {
namespace {

// So many tokens' hidden layers stay in a core's second-level cache together with the weights.
constexpr std::int64_t kTile = 128;

}  // namespace

bool feed_forward_cpu_supports(const at::Tensor& x) {
  return has_gemm() && x.is_cpu() && x.scalar_type() == at::kFloat && x.is_contiguous() && x.numel() > 0;
}

at::Tensor feed_forward_cpu(const at::Tensor& x, const FeedForwardWeights& weights, bool overwrite_x) {
  const std::int64_t d = x.size(-1), F = weights.up_bias.numel(), tokens = x.numel() / d;
  const at::Tensor up = weights.up_weight.t().contiguous();      // [d, F]
  const at::Tensor down = weights.down_weight.t().contiguous();  // [F, d]
  const at::Tensor norm_weight = weights.norm_weight.contiguous(), norm_bias = weights.norm_bias.contiguous();
  const at::Tensor up_bias = weights.up_bias.contiguous(), down_bias = weights.down_bias.contiguous();
  const at::Tensor y = overwrite_x ? x : at::empty_like(x);
  const float* from = x.data_ptr<float>();
  float* to = y.data_ptr<float>();
  const Kernels& kernel = kernels();
  const SerialGemm serial;

  for_each_tile((tokens + kTile - 1) / kTile, kTile * (d + F), [&](std::int64_t tile, float* normed) {
    const std::int64_t begin = tile * kTile, count = std::min(kTile, tokens - begin);
    float* hidden = normed + kTile * d;
    for (std::int64_t t = 0; t < count; ++t)
      kernel.layer_norm(from + (begin + t) * d, normed + t * d, d, norm_weight.data_ptr<float>(),
                        norm_bias.data_ptr<float>());
    gemm(count, F, d, normed, d, up.data_ptr<float>(), F, hidden, F);  // [tile, F]
    kernel.bias_gelu(hidden, count, F, up_bias.data_ptr<float>());
    gemm(count, d, F, hidden, F, down.data_ptr<float>(), d, normed, d);  // [tile, d]
    for (std::int64_t t = 0; t < count; ++t)
      kernel.residual(from + (begin + t) * d, normed + t * d, down_bias.data_ptr<float>(),
                      to + (begin + t) * d, d);
  });
  return y;
}

}  // namespace causcale::ops
