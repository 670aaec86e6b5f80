#include "baselines/lingam_measure.h"

#include <cmath>

#include "simulate/fast_math.h"
#include "simulate/vector_clones.h"

namespace causcale {

namespace {

constexpr int kLanes = 16;
constexpr float kLn2 = 0.69314718055995f;

double entropy_from(double mean_log_cosh, double mean_gauss) {
  // Constants of the approximation: k1, k2 and the mean of log cosh of a standard normal variable.
  constexpr double k1 = 79.047, k2 = 7.4129, gamma = 0.37457;
  const double a = mean_log_cosh - gamma;
  return 0.5 * (1.0 + std::log(2.0 * M_PI)) - k1 * a * a - k2 * mean_gauss * mean_gauss;
}

}  // namespace

// Sums go through fixed lanes of single precision and are gathered in double precision block by block, so the
// order of additions, and with it every bit, depends on the row count only. Of log cosh u = |u| +
// log(1 + exp(-2|u|)) - log 2 the factors within the logarithm lie between 1 and 2: a lane multiplies its 32
// of a block and takes one logarithm.
CAUSCALE_VECTOR_CLONES
double residual_entropy(const float* a, const float* b, float slope, float scale, std::size_t rows) {
  double log_cosh = 0.0, gauss = 0.0;
  constexpr std::size_t kBlock = 512;
  for (std::size_t begin = 0; begin < rows; begin += kBlock) {
    const std::size_t end = begin + kBlock < rows ? begin + kBlock : rows;
    float first[kLanes] = {}, second[kLanes] = {}, product[kLanes];
    for (int l = 0; l < kLanes; ++l) product[l] = 1.0f;
    std::size_t r = begin;
    for (; r + kLanes <= end; r += kLanes)
      for (int l = 0; l < kLanes; ++l) {
        const float u = scale * (a[r + l] - slope * b[r + l]);
        const float size = fast_abs(u);
        first[l] += size;
        product[l] *= 1.0f + fast_exp(-2.0f * size);
        second[l] += u * fast_exp(-0.5f * u * u);
      }
    for (; r < end; ++r) {
      const float u = scale * (a[r] - slope * b[r]);
      const float size = fast_abs(u);
      first[0] += size;
      product[0] *= 1.0f + fast_exp(-2.0f * size);
      second[0] += u * fast_exp(-0.5f * u * u);
    }
    for (int l = 0; l < kLanes; ++l) log_cosh += first[l] + fast_log(product[l]), gauss += second[l];
  }
  const double count = static_cast<double>(rows);
  return entropy_from(log_cosh / count - kLn2, gauss / count);
}

double approximate_entropy(const float* u, std::size_t rows) {
  return residual_entropy(u, u, 0.0f, 1.0f, rows);
}

}  // namespace causcale
