#include "simulate/technical_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "causcale/error.h"
#include "simulate/poisson.h"

namespace causcale {

TechnicalNoise draw_technical_noise(NoiseProfile profile, RandomStream& random) {
  auto one_of = [&](double a, double b, double c) {
    const double choices[] = {a, b, c};
    return choices[random.below(3)];
  };
  switch (profile) {
    case NoiseProfile::kChromium: {
      TechnicalNoise noise{.outlier_share = 0.01, .outlier_scale = 1.0, .dropout_shape = 8.0};
      noise.outlier_mean = one_of(3.0, 3.0, 5.0);
      noise.library_mean = one_of(6.0, 6.0, 4.5);
      noise.library_scale = one_of(0.3, 0.4, 0.7);
      noise.dropout_percentile = one_of(74.0, 82.0, 45.0);
      return noise;
    }
    case NoiseProfile::kIllumina:
      return {0.01, 0.8, 1.0, 7.0, 0.4, 8.0, 80.0};
    case NoiseProfile::kDropSeq:
      return {0.01, 3.0, 1.0, 4.4, 0.8, 8.0, 85.0};
    case NoiseProfile::kSmartSeq:
      return {0.01, 4.5, 1.0, 10.8, 0.55, 2.0, 92.0};
    case NoiseProfile::kNone:
      break;
  }
  throw UsageError("no technical noise to draw: the profile is 'none'");
}

double percentile(std::span<const double> values, double percent) {
  std::vector<double> sorted(values.begin(), values.end());
  const double position = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  std::nth_element(sorted.begin(), sorted.begin() + below, sorted.end());
  const double low = sorted[below];
  if (below + 1 == sorted.size()) return low;
  const double high = *std::min_element(sorted.begin() + below + 1, sorted.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

void add_technical_noise(const TechnicalNoise& noise, int genes, int cells, RandomStream& random,
                         std::span<float> expression) {
  std::vector<double> values(expression.begin(), expression.end());
  auto gene_values = [&](int gene) {
    return std::span(values).subspan(static_cast<std::size_t>(gene) * cells, cells);
  };

  for (int gene = 0; gene < genes; ++gene) {
    if (!random.coin(noise.outlier_share)) continue;
    const double factor = std::exp(noise.outlier_mean + noise.outlier_scale * random.normal());
    for (double& value : gene_values(gene)) value *= factor;
  }

  // Every cell is scaled to a library size of its own.
  std::vector<double> total(cells, 0.0), factor(cells);
  for (int gene = 0; gene < genes; ++gene)
    for (int cell = 0; cell < cells; ++cell) total[cell] += gene_values(gene)[cell];
  for (int cell = 0; cell < cells; ++cell) {
    const double size = std::exp(noise.library_mean + noise.library_scale * random.normal());
    factor[cell] = total[cell] > 0 ? size / total[cell] : 1.0;
  }
  for (int gene = 0; gene < genes; ++gene)
    for (int cell = 0; cell < cells; ++cell) gene_values(gene)[cell] *= factor[cell];

  std::vector<double> logs(values.size());
  std::transform(values.begin(), values.end(), logs.begin(), [](double value) { return std::log1p(value); });
  const double midpoint = percentile(logs, noise.dropout_percentile);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool kept = random.coin(kept_share(noise, logs[i], midpoint));
    expression[i] = kept ? static_cast<float>(draw_poisson(values[i], random)) : 0.0f;
  }
}

}  // namespace causcale
