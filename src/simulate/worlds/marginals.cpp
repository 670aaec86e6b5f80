#include "simulate/worlds/marginals.h"

#include <algorithm>
#include <cmath>

#include "simulate/poisson.h"

namespace causcale {
namespace {

template <class Draw>
void fill(std::span<double> column, Draw draw) {
  for (double& x : column) x = draw();
}

// Cut points that are far enough apart for every level to occur in a long column.
void fill_discretised(RandomStream& random, std::span<double> column) {
  const int levels = 3 + static_cast<int>(random.below(8));
  std::vector<double> cuts(levels - 1);
  for (int k = 0; k + 1 < levels; ++k) cuts[k] = 3.6 * ((k + 1 + random.uniform(-0.3, 0.3)) / levels - 0.5);
  fill(column,
       [&] { return static_cast<double>(std::ranges::upper_bound(cuts, random.normal()) - cuts.begin()); });
}

void fill_row_numbers(RandomStream& random, std::span<double> column) {
  const double start = random.coin() ? 1.0 : std::floor(random.uniform(0.0, 1e4));
  const double step = random.coin() ? 1.0 : random.factor(100.0);
  const bool jitter = random.coin(0.3), downwards = random.coin(0.2);
  const std::size_t size = column.size();
  for (std::size_t r = 0; r < size; ++r) {
    const double place = static_cast<double>(downwards ? size - 1 - r : r);
    column[r] = start + step * (place + (jitter ? random.uniform() : 0.0));
  }
}

}  // namespace

double draw_gamma(double shape, RandomStream& random) {
  if (shape < 1) {
    const double boosted = draw_gamma(shape + 1, random);
    return boosted * std::pow(random.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double z = random.normal(), v = 1 + c * z;
    if (v <= 0) continue;
    const double v3 = v * v * v;
    if (std::log(random.uniform()) < 0.5 * z * z + d - d * v3 + d * std::log(v3)) return d * v3;
  }
}

std::vector<std::string> noise_shape_names() {
  std::vector<std::string> names = all_names(kShapeNames);
  names.resize(kNoiseShapes);
  return names;
}

ColumnKind kind_of(Shape shape) {
  switch (shape) {
    case Shape::kPoisson:
      return ColumnKind::kCount;
    case Shape::kBinary:
    case Shape::kRareBinary:
      return ColumnKind::kBinary;
    case Shape::kDiscretised:
    case Shape::kDoses:
      return ColumnKind::kOrdered;
    default:
      return ColumnKind::kContinuous;
  }
}

void fill_shape(Shape shape, RandomStream& random, std::span<double> column) {
  switch (shape) {
    case Shape::kNormal:
      return fill(column, [&] { return random.normal(); });
    case Shape::kUniform:
      return fill(column, [&] { return random.uniform(); });
    case Shape::kStudent: {
      // Bailey's polar form, any degrees of freedom.
      const double degrees = random.uniform(2.5, 8.0);
      return fill(column, [&] {
        const double power = std::pow(random.uniform(), -2 / degrees);
        return std::sqrt(degrees * (power - 1)) * std::cos(6.283185307179586 * random.uniform());
      });
    }
    case Shape::kLaplace:
      return fill(column, [&] { return random.exponential() - random.exponential(); });
    case Shape::kExponential:
      return fill(column, [&] { return random.exponential(); });
    case Shape::kLogNormal: {
      const double spread = random.uniform(0.3, 1.2);
      return fill(column, [&] { return std::exp(spread * random.normal()); });
    }
    case Shape::kGamma: {
      const double k = std::exp(random.uniform(std::log(0.5), std::log(8.0)));
      return fill(column, [&] { return draw_gamma(k, random); });
    }
    case Shape::kBeta: {
      const double a = random.uniform(0.3, 3.0), b = random.uniform(0.3, 3.0);
      return fill(column, [&] {
        const double x = draw_gamma(a, random), y = draw_gamma(b, random);
        return x / (x + y);
      });
    }
    case Shape::kBimodal: {
      const double share = random.uniform(0.2, 0.8), gap = random.uniform(2.5, 8.0);
      const double spread = random.uniform(0.5, 1.5);
      return fill(column,
                  [&] { return random.coin(share) ? random.normal() : gap + spread * random.normal(); });
    }
    case Shape::kConstant:
      std::ranges::fill(column, random.coin() ? 0.0 : random.normal());
      return;
    case Shape::kRowNumber:
      return fill_row_numbers(random, column);
    case Shape::kZeroInflated: {
      const double zeros = random.uniform(0.2, 0.9), spread = random.uniform(0.3, 1.5);
      return fill(column, [&] { return random.coin(zeros) ? 0.0 : std::exp(spread * random.normal()); });
    }
    case Shape::kPoisson: {
      const double rate = std::exp(random.uniform(std::log(0.1), std::log(100.0)));
      return fill(column, [&] { return draw_poisson(rate, random); });
    }
    case Shape::kBinary: {
      const double ones = random.uniform(0.15, 0.85);
      return fill(column, [&] { return random.coin(ones) ? 1.0 : 0.0; });
    }
    case Shape::kRareBinary: {
      const double ones = std::exp(random.uniform(std::log(0.005), std::log(0.15)));
      return fill(column, [&] { return random.coin(ones) ? 1.0 : 0.0; });
    }
    case Shape::kDiscretised:
      return fill_discretised(random, column);
    case Shape::kDoses: {
      const std::uint32_t doses = 2 + random.below(5);
      const bool doubling = random.coin();
      return fill(column, [&] {
        const auto dose = static_cast<double>(random.below(doses));
        return doubling ? (dose > 0 ? std::exp2(dose - 1) : 0.0) : dose;
      });
    }
  }
}

void standardise(std::span<double> column) {
  double sum = 0;
  for (const double x : column) sum += x;
  const double mean = sum / static_cast<double>(column.size());
  double squares = 0;
  for (const double x : column) squares += (x - mean) * (x - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(column.size()));
  // Rounding of the mean alone must not pass for variation.
  const bool varies = deviation > 1e-12 * (1 + std::abs(mean)) && std::isfinite(deviation);
  for (double& x : column) x = varies ? (x - mean) / deviation : 0.0;
}

void fill_noise(Shape shape, RandomStream& random, std::span<double> column) {
  fill_shape(shape, random, column);
  standardise(column);
}

}  // namespace causcale
