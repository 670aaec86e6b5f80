#include "learn/data/device_channels.h"

#include <ATen/ATen.h>

#include <tuple>

namespace causcale {

at::Tensor discrete_columns(const at::Tensor& data) {
  const at::Tensor sorted = std::get<0>(data.select(3, 0).sort(1));
  const at::Tensor values = sorted.diff(1, 1).ne(0).sum(1) + 1;  // [B, n]
  return values.ge(2)
      .logical_and(values.le(kDiscreteValues))
      .logical_and((values * kRowsPerDiscreteValue).le(data.size(1)))
      .to(data.scalar_type());
}

at::Tensor shift_statistics(const at::Tensor& data, const InputChannels& channels) {
  const at::Tensor value = data.select(3, 0).to(at::kDouble), hit = data.select(3, 1).to(at::kDouble);
  at::Tensor counted = 1 - hit;  // [B, m, n]: neither intervened on nor missing
  if (const std::int64_t missing = channels.place(DataChannel::kMissing); missing >= 0)
    counted = counted * (1 - data.select(3, missing).to(at::kDouble));
  const at::Tensor sums = counted * value, squares = sums * value;
  // Rows in which i is hit, and those to compare with: [B, n, m].
  const at::Tensor moved = hit.transpose(1, 2);
  const at::Tensor usual = hit.sum(2).eq(0).to(at::kDouble).unsqueeze(1);               // [B, 1, m]
  const at::Tensor enough = usual.sum(2, true).ge(static_cast<double>(kBaselineRows));  // [B, 1, 1]
  const at::Tensor others = at::where(enough, usual, 1 - moved);
  const auto spread = [](const at::Tensor& count, const at::Tensor& sum, const at::Tensor& square) {
    return (square - sum * sum / count.clamp_min(1)).clamp_min(0);
  };
  const at::Tensor n1 = moved.matmul(counted), s1 = moved.matmul(sums), q1 = moved.matmul(squares);
  const at::Tensor n0 = others.matmul(counted), s0 = others.matmul(sums), q0 = others.matmul(squares);
  const at::Tensor spare = n1 + n0 - 2;
  const at::Tensor within = ((spread(n1, s1, q1) + spread(n0, s0, q0)) / spare.clamp_min(1)).clamp_min(1e-6);
  const at::Tensor variance = at::where(spare.lt(1), at::ones_like(within), within);
  const at::Tensor a = n1.clamp_min(1), b = n0.clamp_min(1);
  const at::Tensor t = (s1 / a - s0 / b) / (variance * (1 / a + 1 / b)).sqrt();
  const at::Tensor defined = n1.gt(0).logical_and(n0.gt(0));
  at::Tensor result = t.abs().log1p().masked_fill(defined.logical_not(), 0);
  result.diagonal(0, 1, 2).zero_();
  return result.to(data.scalar_type());
}

}  // namespace causcale
