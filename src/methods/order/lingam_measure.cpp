#include "methods/order/lingam_measure.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "simulate/fast_math.h"
#include "simulate/vector_clones.h"

namespace causcale {

namespace {

// Vectors of a fixed width, the one of AVX2: left to itself the compiler does not turn the loop below into
// vector code.
constexpr int kLanes = 8;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));
typedef std::int32_t LaneBits __attribute__((vector_size(kLanes * sizeof(std::int32_t))));

constexpr float kLn2 = 0.69314718055995f, kLog2E = 1.44269504088896f;

double entropy_from(double mean_log_cosh, double mean_gauss) {
  // Constants of the approximation: k1, k2 and the mean of log cosh of a standard normal variable.
  constexpr double k1 = 79.047, k2 = 7.4129, gamma = 0.37457;
  const double a = mean_log_cosh - gamma;
  return 0.5 * (1.0 + std::log(2.0 * M_PI)) - k1 * a * a - k2 * mean_gauss * mean_gauss;
}

// 2^x for x <= 0, within 3e-7 of it relatively; below -120 it is about 1e-36. Adding 1.5 * 2^23 + 127 leaves
// the rounded x in the last bits, already as the exponent of the result.
CAUSCALE_HD_INLINE void power_of_two(const Lanes& x, Lanes& out) {
  constexpr float kShift = kRoundingShift + 127.0f;
  const Lanes clipped = x > -120.0f ? x : Lanes{} - 120.0f;
  const Lanes shifted = clipped + kShift;
  const Lanes f = clipped - (shifted - kShift);
  // Least relative error on [-1/2, 1/2] among polynomials of this degree that are 1 at 0.
  const Lanes series =
      1.0f +
      f * (0.693147f + f * (0.24022242f + f * (0.055507336f + f * (0.009671513f + f * 0.0013264727f))));
  LaneBits bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits <<= 23;
  Lanes factor;
  std::memcpy(&factor, &bits, sizeof factor);
  out = series * factor;
}

// Of one column: sums over the rows of |u|, of log(1 + exp(-2|u|)) and of u exp(-u^2 / 2). The factors within
// the logarithm lie between 1 and 2, so a lane multiplies its 32 of a block and takes one logarithm.
struct BlockSums {
  Lanes size = {}, gauss = {}, product = Lanes{} + 1.0f;
};

CAUSCALE_HD_INLINE void add_rows(BlockSums& sums, const Lanes& u) {
  LaneBits bits;
  std::memcpy(&bits, &u, sizeof bits);
  bits &= 0x7fffffff;
  Lanes size, decay, bell;
  std::memcpy(&size, &bits, sizeof size);
  power_of_two(size * (-2.0f * kLog2E), decay);
  power_of_two(u * u * (-0.5f * kLog2E), bell);
  sums.size += size;
  sums.product *= 1.0f + decay;
  sums.gauss += u * bell;
}

struct Sums {
  double log_cosh = 0.0, gauss = 0.0;
};

CAUSCALE_HD_INLINE void gather(Sums& sums, const BlockSums& block) {
  for (int l = 0; l < kLanes; ++l) {
    sums.log_cosh += block.size[l] + fast_log(block.product[l]);
    sums.gauss += block.gauss[l];
  }
}

}  // namespace

// Sums go through fixed lanes of single precision and are gathered in double precision block by block, so the
// order of additions, and with it every bit, depends on the row count only. Rows that are not there count as
// u = 0, which adds log 2 to the one sum and nothing to the other.
CAUSCALE_VECTOR_CLONES
ResidualEntropies residual_entropies(const float* a, const float* b, float slope, float scale,
                                     std::size_t rows) {
  constexpr std::size_t kBlock = 32 * kLanes;
  Sums sum_a, sum_b;
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t end = begin + kBlock < rows ? begin + kBlock : rows;
    BlockSums block_a, block_b;
    for (std::size_t r = begin; r < end; r += kLanes) {
      Lanes value_a = {}, value_b = {};
      const std::size_t bytes = (end - r < kLanes ? end - r : kLanes) * sizeof(float);
      if (bytes == sizeof(Lanes)) {
        std::memcpy(&value_a, a + r, sizeof(Lanes));
        std::memcpy(&value_b, b + r, sizeof(Lanes));
      } else {
        std::memcpy(&value_a, a + r, bytes);
        std::memcpy(&value_b, b + r, bytes);
      }
      add_rows(block_a, scale * (value_a - slope * value_b));
      add_rows(block_b, scale * (value_b - slope * value_a));
    }
    gather(sum_a, block_a);
    gather(sum_b, block_b);
  }
  const double count = static_cast<double>(rows);
  const double absent = static_cast<double>((kLanes - rows % kLanes) % kLanes);
  const auto entropy = [&](const Sums& sums) {
    return entropy_from((sums.log_cosh - absent * kLn2) / count - kLn2, sums.gauss / count);
  };
  return {entropy(sum_a), entropy(sum_b)};
}

double approximate_entropy(const float* u, std::size_t rows) {
  return residual_entropies(u, u, 0.0f, 1.0f, rows).of_a;
}

}  // namespace causcale
