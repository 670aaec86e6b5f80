#include "learn/networks/reduction.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "causcale/error.h"
#include "learn/autograd/pooling/pooling.h"

namespace causcale {
namespace {

at::Tensor pool(const at::Tensor& data, Pooling pooling, std::int64_t r, bool fused) {
  if (pooling == Pooling::kAverage) return autograd::mean_of_groups(data, r, fused);
  const std::int64_t groups = data.size(1) / r;
  const at::Tensor grouped = data.narrow(1, 0, groups * r)
                                 .unflatten(1, std::vector<std::int64_t>{groups, r});  // [B, m / r, r, n, d]
  switch (pooling) {
    case Pooling::kMax:
      return grouped.amax(2);
    case Pooling::kStrided:
      return grouped.select(2, 0).contiguous();
    case Pooling::kAverage:
    case Pooling::kNone:
      break;
  }
  return data;
}

}  // namespace

at::Tensor reduce_samples(const at::Tensor& data, const ModelConfig& config, autograd::GridSizes& sizes,
                          const ExecutionOptions& execution) {
  const bool fused = fuses_outer_layers(execution);
  const std::int64_t r = config.reduction_r;
  if (config.pooling == Pooling::kNone || r == 1) return data;
  const bool any_short = sizes.padded() && *std::min_element(sizes.rows.begin(), sizes.rows.end()) < r;
  if (!any_short) {
    if (data.size(1) < r) return data;
    for (std::int64_t& rows : sizes.rows) rows /= r;
    return pool(data, config.pooling, r, fused);
  }
  // Some data set of a padded batch is too short to pool: each goes its own way, as it would alone.
  std::vector<at::Tensor> parts;
  std::int64_t longest = 0;
  for (std::size_t b = 0; b < sizes.rows.size(); ++b) {
    const at::Tensor own = data.narrow(0, b, 1).narrow(1, 0, sizes.rows[b]);
    parts.push_back(sizes.rows[b] < r ? own : pool(own, config.pooling, r, fused));
    sizes.rows[b] = parts.back().size(1);
    longest = std::max(longest, sizes.rows[b]);
  }
  for (at::Tensor& part : parts) part = at::constant_pad_nd(part, {0, 0, 0, 0, 0, longest - part.size(1)});
  return at::cat(parts, 0);
}

}  // namespace causcale
