#include "samples/mixing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace causcale {

Mixing judge_mixing(const Matrix<double>& values) {
  const std::size_t chains = values.rows(), length = values.cols();
  const double count = static_cast<double>(values.size());
  if (length < 4) return {count, 1.0};
  std::vector<double> means(chains, 0.0);
  double mean = 0.0;
  for (std::size_t c = 0; c < chains; ++c) {
    for (const double value : values.row(c)) means[c] += value / static_cast<double>(length);
    mean += means[c] / static_cast<double>(chains);
  }
  // Mean over the chains of the autocovariance, with the divisor of the chain's length.
  const auto covariance = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t t = 0; t + lag < length; ++t)
        sum += (values(c, t) - means[c]) * (values(c, t + lag) - means[c]);
    return sum / count;
  };
  const double variance = covariance(0), l = static_cast<double>(length);
  double between = 0.0;
  for (const double m : means) between += (m - mean) * (m - mean);
  if (chains > 1) between /= static_cast<double>(chains - 1);
  const double within = variance * l / (l - 1.0), total = variance + between;
  if (!(total > 0.0)) return {count, 1.0};
  double sum = 0.0;
  for (std::size_t lag = 1; lag + 1 < length; lag += 2) {
    const double pair = 2.0 - (2.0 * within - covariance(lag) - covariance(lag + 1)) / total;
    if (pair <= 0.0) break;
    sum += pair;
  }
  const double reduction = within > 0.0 ? std::sqrt(total / within) : 1e9;
  return {std::clamp(count / (1.0 + 2.0 * sum), 1.0, count), std::max(1.0, reduction)};
}

}  // namespace causcale
