#include "methods/neural/node_kernels.h"

#include <cstring>

#include "base/wide_clones.h"
#include "simulate/fast_math.h"

namespace causcale {
namespace {

constexpr int kLanes = 16, kParts = kTile / kLanes;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));

constexpr float kLeastVariance = 1e-4f;  // a column that others explain exactly must not end at infinity
constexpr float kLog2Pi = 1.8378770664093453f;

// log(1 + e) for 0 <= e <= 1.
CAUSCALE_HD_INLINE float log_of_one_plus(float e) {
  const float s = e / (2.0f + e), s2 = s * s;
  return 2.0f * s *
         (1.0f +
          s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9 + s2 * (1.0f / 11 + s2 / 13))))));
}

// Square root for x >= 0 by Newton's steps from a guess at 1 / sqrt(x): std::sqrt sets errno, which keeps the
// compiler from making vectors of it.
CAUSCALE_HD_INLINE float root(float x) {
  float y = float_from_bits(0x5f375a86 - (float_bits(x) >> 1));
  for (int step = 0; step < 3; ++step) y = y * (1.5f - 0.5f * x * y * y);
  return x * y;
}

double lane_sum(const float* lanes) {
  double sum = 0.0;
  for (int r = 0; r < kTile; ++r) sum += lanes[r];
  return sum;
}

}  // namespace

CAUSCALE_WIDE_CLONES
void panel_product(const float* panel, const int* places, int steps, const float* factors, std::size_t stride,
                   float* out, std::size_t out_stride) {
  Lanes sums[kUnitGroup][kParts];
  for (int u = 0; u < kUnitGroup; ++u)
    for (int part = 0; part < kParts; ++part) sums[u][part] = Lanes{};
  for (int t = 0; t < steps; ++t) {
    const float* from = panel + static_cast<std::size_t>(places ? places[t] : t) * kTile;
    for (int part = 0; part < kParts; ++part) {
      Lanes values;
      std::memcpy(&values, from + part * kLanes, sizeof values);
      for (int u = 0; u < kUnitGroup; ++u) sums[u][part] += factors[u * stride + t] * values;
    }
  }
  for (int u = 0; u < kUnitGroup; ++u)
    for (int part = 0; part < kParts; ++part) {
      const Lanes sum = sums[u][part];
      std::memcpy(out + u * out_stride + part * kLanes, &sum, sizeof sum);
    }
}

CAUSCALE_WIDE_CLONES
void hidden_to_loss(int units, const float* small, const float* values, const float* weights, float* hidden,
                    float* slopes, std::size_t stride, OutputSums& sums) {
  const float *bias = small, *to_mean = small + units, *to_variance = small + 2 * units;
  float mean[kTile], raw[kTile], mean_slope[kTile], raw_slope[kTile];
  for (int r = 0; r < kTile; ++r) mean[r] = small[3 * units], raw[r] = small[3 * units + 1];
  for (int u = 0; u < units; ++u) {
    float* unit = hidden + u * kTile;
    const float shift = bias[u], mean_factor = to_mean[u], raw_factor = to_variance[u];
    for (int r = 0; r < kTile; ++r) {
      unit[r] = 1.0f / (1.0f + fast_exp(-(unit[r] + shift)));
      mean[r] += mean_factor * unit[r];
      raw[r] += raw_factor * unit[r];
    }
  }
  float* lanes = sums.lanes();
  float *mean_bias = lanes, *raw_bias = lanes + kTile, *loss = lanes + 2 * kTile;
  for (int r = 0; r < kTile; ++r) {
    const float decay = fast_exp(-fast_abs(raw[r]));
    const float variance = fast_max(raw[r], 0.0f) + log_of_one_plus(decay) + kLeastVariance;
    const float share = (raw[r] > 0.0f ? 1.0f : decay) / (1.0f + decay);  // slope of the softplus
    const float inverse = 1.0f / variance, deviation = values[r] - mean[r];
    const float squared = deviation * deviation * inverse;
    loss[r] += 0.5f * weights[r] * (fast_log(variance) + squared + kLog2Pi);
    mean_slope[r] = -weights[r] * deviation * inverse;
    raw_slope[r] = 0.5f * weights[r] * inverse * (1.0f - squared) * share;
    mean_bias[r] += mean_slope[r];
    raw_bias[r] += raw_slope[r];
  }
  if (!slopes) return;
  for (int u = 0; u < units; ++u) {
    const float* unit = hidden + u * kTile;
    float* slope = slopes + u * stride;
    float* bias_sum = lanes + (3 + u) * kTile;
    float* mean_sum = bias_sum + units * kTile;
    float* raw_sum = mean_sum + units * kTile;
    const float mean_factor = to_mean[u], raw_factor = to_variance[u];
    for (int r = 0; r < kTile; ++r) {
      slope[r] = (mean_slope[r] * mean_factor + raw_slope[r] * raw_factor) * unit[r] * (1.0f - unit[r]);
      bias_sum[r] += slope[r];
      mean_sum[r] += mean_slope[r] * unit[r];
      raw_sum[r] += raw_slope[r] * unit[r];
    }
  }
}

double OutputSums::loss() const {
  return lane_sum(lanes_.data() + 2 * kTile);
}

void OutputSums::write_gradient(int hidden, int units, float* gradient) const {
  for (int which = 0; which < 3; ++which)
    for (int u = 0; u < hidden; ++u)
      gradient[which * units + u] =
          static_cast<float>(lane_sum(lanes_.data() + (3 + which * units + u) * kTile));
  for (int which = 0; which < 2; ++which)
    gradient[3 * units + which] = static_cast<float>(lane_sum(lanes_.data() + which * kTile));
}

CAUSCALE_WIDE_CLONES
void adam_update(std::size_t count, const AdamFactors& factors, float l1, const float* __restrict gradient,
                 float* __restrict parameters, float* __restrict first, float* __restrict second) {
  constexpr float kBeta1 = 0.9f, kBeta2 = 0.999f, kEpsilon = 1e-8f;
  for (std::size_t k = 0; k < count; ++k) {
    const float parameter = parameters[k];
    const float sign = parameter > 0.0f ? 1.0f : parameter < 0.0f ? -1.0f : 0.0f;
    const float slope = gradient[k] + l1 * sign + factors.decay * parameter;
    first[k] = kBeta1 * first[k] + (1.0f - kBeta1) * slope;
    second[k] = kBeta2 * second[k] + (1.0f - kBeta2) * slope * slope;
    parameters[k] = parameter - factors.rate * first[k] / (root(second[k]) * factors.stretch + kEpsilon);
  }
}

}  // namespace causcale
