#include "learn/networks/axial_layer.h"

#include <ATen/ATen.h>

#include <utility>

#include "learn/autograd/feed_forward/feed_forward.h"
#include "learn/autograd/torch_compat.h"

namespace causcale {
namespace {

at::Tensor attend(const AttentionParams& params, const at::Tensor& x, autograd::Axis axis, bool scaled,
                  double sharpness, const autograd::GridSizes& sizes, const AxialOptions& options) {
  const autograd::AttentionWeights weights{params.norm.weight, params.norm.bias,  params.qkv.weight,
                                           params.qkv.bias,    params.out.weight, params.out.bias};
  const autograd::AttentionOptions attention{.heads = options.config.heads,
                                             .axis = axis,
                                             .scaled = scaled,
                                             .sharpness = sharpness,
                                             .tied = options.config.attention == AttentionKind::kTied,
                                             .max_score_bytes = options.execution.max_score_bytes,
                                             .packed = options.execution.packed};
  return options.execution.plain ? autograd::attention_plain(x, weights, attention, sizes)
                                 : autograd::attention(x, weights, attention, sizes);
}

at::Tensor feed_forward(const FeedForwardParams& params, const at::Tensor& x, const AxialOptions& options) {
  const autograd::FeedForwardWeights weights{params.norm.weight, params.norm.bias,   params.up.weight,
                                             params.up.bias,     params.down.weight, params.down.bias};
  return options.execution.plain ? autograd::feed_forward_plain(x, weights)
                                 : autograd::feed_forward(x, weights, options.execution.packed);
}

// x -> sublayer(x). The operations add their residual themselves, so what dropout concerns is the difference.
template <class Sublayer>
at::Tensor apply(at::Tensor x, const AxialOptions& options, const Sublayer& sublayer) {
  if (options.execution.dropout == 0.0) return sublayer(x);
  return x + at::dropout(sublayer(x) - x, options.execution.dropout, /*train=*/true);
}

}  // namespace

at::Tensor axial_layer(const AxialParams& params, at::Tensor x, const autograd::GridSizes& sizes,
                       const AxialOptions& options) {
  const double sharpness = options.config.sharpness(x.size(2));
  x = apply(std::move(x), options, [&](const at::Tensor& in) {
    return attend(params.row, in, autograd::Axis::kRow, options.scaling.rows, sharpness, sizes, options);
  });
  note(options.trace, options.trace_prefix + "_after_row", x);
  x = apply(std::move(x), options, [&](const at::Tensor& in) {
    return attend(params.column, in, autograd::Axis::kColumn, options.scaling.columns,
                  options.of_pairs ? sharpness : 1.0, sizes, options);
  });
  note(options.trace, options.trace_prefix + "_after_col", x);
  x = apply(std::move(x), options,
            [&](const at::Tensor& in) { return feed_forward(params.feed_forward, in, options); });
  note(options.trace, options.trace_prefix + "_after_ffn", x);
  return x;
}

}  // namespace causcale
