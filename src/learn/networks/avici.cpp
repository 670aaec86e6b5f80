#include "learn/networks/avici.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "causcale/error.h"
#include "learn/autograd/line_attention/line_attention.h"
#include "learn/autograd/torch_compat.h"

namespace causcale {
namespace {

// Without derivatives so many bytes of a sublayer's widest tensor exist at a time.
constexpr std::int64_t kPartBytes = std::int64_t{64} << 20;

at::Tensor normed(const NormParams& norm, const at::Tensor& x) {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, 1e-5);
}

at::Tensor linear(const LinearParams& layer, const at::Tensor& x) {
  return at::linear(x, layer.weight, layer.bias);
}

at::Tensor dropped(const at::Tensor& x, const ExecutionOptions& execution) {
  return execution.dropout == 0.0 ? x : at::dropout(x, execution.dropout, /*train=*/true);
}

// x [N, L, d] -> [N, L, d]: every line of L positions mixes by itself.
at::Tensor attend(const AttentionParams& params, const ModelConfig& config, const at::Tensor& x,
                  const ExecutionOptions& execution) {
  const std::int64_t N = x.size(0), L = x.size(1), H = config.heads, e = config.key_dim;
  const at::Tensor qkv =
      linear(params.qkv, normed(params.norm, x)).view({N, L, 3, H, e}).permute({2, 0, 3, 1, 4});
  // Scores exist twice, before and after their softmax; 0 stays "no limit".
  const std::int64_t limit = (execution.max_score_bytes + 1) / 2;
  const at::Tensor mixed = autograd::line_attention(qkv[0], qkv[1], qkv[2], limit);  // [N, H, L, e]
  return linear(params.out, mixed.transpose(1, 2).reshape({N, L, H * e}));
}

at::Tensor feed_forward(const FeedForwardParams& params, const at::Tensor& x) {
  return linear(params.down, at::relu(linear(params.up, normed(params.norm, x))));
}

// x [N, L, d] + branch(x), a part of the lines at a time where no derivatives are wanted.
template <class Branch>
at::Tensor residual(const at::Tensor& x, std::int64_t widest, const ExecutionOptions& execution,
                    const Branch& branch) {
  if (c10::GradMode::is_enabled()) return x + dropped(branch(x), execution);
  const std::int64_t line_bytes = x.size(1) * widest * static_cast<std::int64_t>(x.element_size());
  const std::int64_t lines = std::max<std::int64_t>(1, kPartBytes / line_bytes);
  at::Tensor result = at::empty_like(x);
  for (std::int64_t begin = 0; begin < x.size(0); begin += lines) {
    const at::Tensor part = x.narrow(0, begin, std::min(lines, x.size(0) - begin));
    result.narrow(0, begin, part.size(0)).copy_(part + branch(part));
  }
  return result;
}

at::Tensor mix_lines(const AttentionParams& attention, const FeedForwardParams& forward,
                     const ModelConfig& config, const at::Tensor& lines, const ExecutionOptions& execution) {
  const at::Tensor mixed =
      residual(lines, std::int64_t{4} * config.heads * config.key_dim, execution,
               [&](const at::Tensor& x) { return attend(attention, config, x, execution); });
  return residual(mixed, std::int64_t{2} * config.ffn_dim, execution,
                  [&](const at::Tensor& x) { return feed_forward(forward, x); });
}

// [B, n, d] of length 1 each.
at::Tensor direction(const NormParams& norm, const LinearParams& layer, const at::Tensor& x) {
  const at::Tensor vectors = linear(layer, normed(norm, x));
  return vectors / vectors.norm(2, {-1}, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace

at::Tensor avici_logits(const AviciParams& params, const ModelConfig& config, const ModelInput& input,
                        const ExecutionOptions& execution) {
  if (!input.rows.empty()) throw Error("AVICI takes no padded batches: its maximum would see the padding");
  const std::int64_t B = input.data.size(0), m = input.data.size(1), n = input.data.size(2);
  const std::int64_t d = config.embed_dim;
  at::Tensor x = linear(params.embed, input.data.to(params.embed.weight.scalar_type()));  // [B, m, n, d]
  for (const AviciBlockParams& block : params.blocks) {
    x = mix_lines(block.variables, block.variables_forward, config, x.reshape({B * m, n, d}), execution);
    x = x.view({B, m, n, d}).transpose(1, 2);  // [B, n, m, d]
    x = mix_lines(block.observations, block.observations_forward, config, x.reshape({B * n, m, d}),
                  execution);
    x = x.view({B, n, m, d}).transpose(1, 2);  // [B, m, n, d]
  }
  const at::Tensor pooled = normed(params.final_norm, x).amax({1});  // [B, n, d]
  const at::Tensor u = direction(params.u_norm, params.u, pooled);
  const at::Tensor v = direction(params.v_norm, params.v, pooled);
  return at::bmm(u, v.transpose(1, 2)) * params.temperature.exp() + params.bias;
}

}  // namespace causcale
