#include "methods/imputation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "base/parallel.h"
#include "base/random.h"
#include "causcale/error.h"
#include "data/standardize.h"
#include "methods/column_codes.h"
#include "methods/widened_columns.h"

namespace causcale {
namespace {

constexpr std::size_t kMostPredictors = 10;
constexpr std::size_t kMostCategories = 50;  // of a column that is predicted category by category
constexpr int kDonorTries = 20;
constexpr double kRidge = 1e-3;  // keeps columns that repeat each other apart

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// The different values of a column, ascending.
std::vector<double> values_of(const Table& table, std::size_t column) {
  std::vector<double> values;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!std::isnan(table.values(r, column))) values.push_back(table.values(r, column));
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

double nearest(const std::vector<double>& sorted, double value) {
  const auto above = std::ranges::lower_bound(sorted, value);
  if (above == sorted.begin()) return sorted.front();
  if (above == sorted.end()) return sorted.back();
  return *above - value < value - *(above - 1) ? *above : *(above - 1);
}

// Solves (A + ridge) x = b for a small symmetric A; false where that is not positive definite.
bool solve(Matrix<double> a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    a(i, i) += kRidge;
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      if (i == j && !(sum > 0.0)) return false;
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a(i, k) * b[k];
    b[i] /= a(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a(k, i) * b[k];
    b[i] /= a(i, i);
  }
  return true;
}

std::vector<char> regressed_as_categories(const Table& table) {
  std::vector<char> discrete = discrete_columns(table);
  for (std::size_t c = 0; c < table.cols(); ++c)
    if (discrete[c] && values_of(table, c).size() > kMostCategories) discrete[c] = 0;
  return discrete;
}

std::size_t widened_width(const Table& table, const std::vector<char>& discrete) {
  std::size_t width = 0;
  for (std::size_t c = 0; c < table.cols(); ++c) width += discrete[c] ? values_of(table, c).size() - 1 : 1;
  return width;
}

// Of a table whose rows stand in canonical order.
class Imputation {
 public:
  Imputation(const Table& table, std::vector<char> discrete, std::uint64_t seed)
      : table_(table),
        discrete_(std::move(discrete)),
        seed_(seed),
        widened_(widened_columns(table, discrete_)),
        correlations_(widened_correlations(widened_)),
        owner_(widened_.values.cols()) {
    const std::size_t n = table.cols();
    for (std::size_t c = 0; c < n; ++c)
      for (int k = 0; k < widened_.blocks[c].width; ++k)
        owner_[static_cast<std::size_t>(widened_.blocks[c].begin + k)] = c;
    sign_columns();
    for (std::size_t c = 0; c < n; ++c) {
      values_.push_back(values_of(table, c));
      keeps_values_.push_back(!discrete_[c] && stays_among_values(c));
      candidates_.push_back(candidates_for(c));
      learn_scale(c);
    }
  }

  // One gap after the other, so that cells that are missing together keep their relation; in an order that
  // does not depend on that of the columns.
  void fill(std::size_t row, Matrix<double>& out) const {
    std::vector<std::size_t> gaps;
    for (std::size_t c = 0; c < table_.cols(); ++c)
      if (std::isnan(table_.values(row, c))) gaps.push_back(c);
    if (gaps.empty()) return;
    std::ranges::stable_sort(gaps, {}, [&](std::size_t c) { return signatures_[c]; });
    const std::uint64_t of_row = row_signature(row);
    const auto begin = widened_.values.row(row);
    std::vector<double> known(begin.begin(), begin.end());
    for (const std::size_t c : gaps) {
      RandomStream random(seed_, static_cast<std::uint32_t>(of_row >> 32), Purpose::kImputation,
                          static_cast<std::uint32_t>(mix(of_row ^ signatures_[c]) >> 32));
      out(row, c) = drawn(known, c, random);
      write_widened(c, out(row, c), known);
    }
  }

 private:
  void sign_columns() {
    for (std::size_t c = 0; c < table_.cols(); ++c) {
      std::uint64_t sum = 0;
      for (std::size_t r = 0; r < table_.rows(); ++r)
        if (!std::isnan(table_.values(r, c))) sum += mix(std::bit_cast<std::uint64_t>(table_.values(r, c)));
      signatures_.push_back(mix(sum));
    }
  }

  std::uint64_t row_signature(std::size_t row) const {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < table_.cols(); ++c)
      if (!std::isnan(table_.values(row, c)))
        sum += mix(signatures_[c] ^ mix(std::bit_cast<std::uint64_t>(table_.values(row, c))));
    return mix(sum);
  }

  // Counts, ordered columns and whole numbers of any kind.
  bool stays_among_values(std::size_t c) const {
    if (table_.kinds.size() == table_.cols() && table_.kinds[c] != ColumnKind::kContinuous) return true;
    return std::ranges::all_of(values_[c], [](double value) { return value == std::floor(value); });
  }

  // Widened columns of other variables that are related to c beyond chance, the most related first.
  std::vector<int> candidates_for(std::size_t c) const {
    const ColumnBlock block = widened_.blocks[c];
    const double chance = 2.0 / std::sqrt(static_cast<double>(table_.rows()));
    std::vector<std::pair<double, int>> ranked;
    for (int k = 0; k < widened_.width(); ++k) {
      if (owner_[static_cast<std::size_t>(k)] == c) continue;
      double strongest = 0.0;
      for (int own = block.begin; own < block.begin + block.width; ++own)
        strongest = std::max(
            strongest, std::abs(correlations_(static_cast<std::size_t>(own), static_cast<std::size_t>(k))));
      if (strongest > chance) ranked.emplace_back(-strongest, k);
    }
    std::ranges::sort(ranked);
    std::vector<int> result;
    for (const auto& [size, k] : ranked) result.push_back(k);
    return result;
  }

  void learn_scale(std::size_t c) {
    double sum = 0.0, square = 0.0, count = 0.0;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (!std::isnan(table_.values(r, c))) {
        sum += table_.values(r, c);
        ++count;
      }
    const double mean = sum / count;
    for (std::size_t r = 0; r < table_.rows(); ++r)
      if (!std::isnan(table_.values(r, c))) square += std::pow(table_.values(r, c) - mean, 2);
    mean_.push_back(mean);
    deviation_.push_back(std::sqrt(square / count));
    std::vector<double> share(values_[c].size(), 0.0);
    if (discrete_[c])
      for (std::size_t r = 0; r < table_.rows(); ++r)
        if (!std::isnan(table_.values(r, c)))
          share[static_cast<std::size_t>(std::ranges::lower_bound(values_[c], table_.values(r, c)) -
                                         values_[c].begin())] += 1.0 / count;
    share_.push_back(std::move(share));
  }

  // A value as its widened columns have it.
  void write_widened(std::size_t c, double value, std::vector<double>& known) const {
    const ColumnBlock block = widened_.blocks[c];
    for (int k = 0; k < block.width; ++k) {
      const double share = discrete_[c] ? share_[c][static_cast<std::size_t>(k)] : 0.0;
      known[static_cast<std::size_t>(block.begin + k)] =
          discrete_[c] ? ((value == values_[c][static_cast<std::size_t>(k)]) - share) /
                             std::sqrt(share * (1.0 - share))
                       : (value - mean_[c]) / deviation_[c];
    }
  }

  std::vector<int> predictors_in(const std::vector<double>& known, std::size_t c) const {
    std::vector<int> chosen;
    for (const int k : candidates_[c]) {
      if (std::isnan(known[static_cast<std::size_t>(k)])) continue;
      chosen.push_back(k);
      if (chosen.size() == kMostPredictors) break;
    }
    return chosen;
  }

  // Coefficients of a widened column on the predictors; empty where there is nothing to go by.
  std::vector<double> regression(int target, const std::vector<int>& predictors) const {
    Matrix<double> among(predictors.size(), predictors.size());
    std::vector<double> coefficients(predictors.size());
    const auto at = [&](int a, int b) {
      return correlations_(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    };
    for (std::size_t a = 0; a < predictors.size(); ++a) {
      coefficients[a] = at(target, predictors[a]);
      for (std::size_t b = 0; b < predictors.size(); ++b) among(a, b) = at(predictors[a], predictors[b]);
    }
    if (predictors.empty() || !solve(std::move(among), coefficients)) return {};
    return coefficients;
  }

  // `row` has the widened columns of a row.
  static double predicted(std::span<const double> row, const std::vector<int>& predictors,
                          const std::vector<double>& coefficients) {
    double sum = 0.0;
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      sum += coefficients[k] * row[static_cast<std::size_t>(predictors[k])];
    return sum;
  }

  double drawn(const std::vector<double>& known, std::size_t c, RandomStream& random) const {
    const std::vector<double>& values = values_[c];
    if (values.size() == 1) return values.front();
    const bool unordered_numbers =
        !discrete_[c] && table_.kinds.size() == table_.cols() && table_.kinds[c] == ColumnKind::kUnordered;
    if (unordered_numbers) return any_value(c, random);
    const std::vector<int> predictors = predictors_in(known, c);
    return discrete_[c] ? drawn_category(known, c, predictors, random)
                        : drawn_number(known, c, predictors, random);
  }

  double any_value(std::size_t c, RandomStream& random) const {
    for (;;) {  // some row has one
      const std::size_t donor = random.below(static_cast<std::uint32_t>(table_.rows()));
      if (!std::isnan(table_.values(donor, c))) return table_.values(donor, c);
    }
  }

  double drawn_category(const std::vector<double>& known, std::size_t c, const std::vector<int>& predictors,
                        RandomStream& random) const {
    const ColumnBlock block = widened_.blocks[c];
    std::vector<double> chance = share_[c];
    double last = 1.0;
    for (int k = 0; k < block.width; ++k) {
      const double share = share_[c][static_cast<std::size_t>(k)];
      const double z = predicted(known, predictors, regression(block.begin + k, predictors));
      chance[static_cast<std::size_t>(k)] =
          std::clamp(share + std::sqrt(share * (1.0 - share)) * z, 0.0, 1.0);
      last -= chance[static_cast<std::size_t>(k)];
    }
    chance.back() = std::max(0.0, last);
    double place = random.uniform() * std::accumulate(chance.begin(), chance.end(), 0.0);
    for (std::size_t level = 0; level + 1 < chance.size(); ++level) {
      place -= chance[level];
      if (place < 0.0) return values_[c][level];
    }
    return values_[c].back();
  }

  double drawn_number(const std::vector<double>& known, std::size_t c, const std::vector<int>& predictors,
                      RandomStream& random) const {
    const int own = widened_.blocks[c].begin;
    const std::vector<double> coefficients = regression(own, predictors);
    double z = predicted(known, predictors, coefficients);
    z += residual(own, predictors, coefficients, random);
    const double value = std::clamp(mean_[c] + deviation_[c] * z, values_[c].front(), values_[c].back());
    return keeps_values_[c] ? nearest(values_[c], value) : value;
  }

  // That of a row drawn at random, so that the noise keeps its shape.
  double residual(int target, const std::vector<int>& predictors, const std::vector<double>& coefficients,
                  RandomStream& random) const {
    for (int attempt = 0; attempt < kDonorTries; ++attempt) {
      const std::size_t donor = random.below(static_cast<std::uint32_t>(table_.rows()));
      const double found = widened_.values(donor, static_cast<std::size_t>(target)) -
                           predicted(widened_.values.row(donor), predictors, coefficients);
      if (!std::isnan(found)) return found;
    }
    double explained = 0.0;
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      explained += coefficients[k] *
                   correlations_(static_cast<std::size_t>(target), static_cast<std::size_t>(predictors[k]));
    return std::sqrt(std::max(0.0, 1.0 - explained)) * random.normal();
  }

  const Table& table_;
  std::vector<char> discrete_;
  std::uint64_t seed_;
  WidenedColumns widened_;
  Matrix<double> correlations_;
  std::vector<std::size_t> owner_;         // of a widened column: the variable
  std::vector<std::uint64_t> signatures_;  // of the columns' contents
  // Per variable.
  std::vector<std::vector<double>> values_;
  std::vector<char> keeps_values_;
  std::vector<std::vector<int>> candidates_;
  std::vector<double> mean_, deviation_;
  std::vector<std::vector<double>> share_;  // of every value of a category
};

void fill_with_means(const Table& table, Matrix<double>& out) {
  for (std::size_t c = 0; c < table.cols(); ++c) {
    std::map<double, std::size_t> cells;
    double sum = 0.0, count = 0.0;
    const bool discrete = is_discrete(table, c);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double value = table.values(r, c);
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
      if (discrete) ++cells[value];
    }
    const auto most = std::ranges::max_element(cells, {}, [](const auto& cell) { return cell.second; });
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (std::isnan(table.values(r, c))) out(r, c) = discrete ? most->first : sum / count;
  }
}

}  // namespace

void require_some_value(const Table& table) {
  for (std::size_t c = 0; c < table.cols(); ++c) {
    bool any = false;
    for (std::size_t r = 0; r < table.rows() && !any; ++r) any = !std::isnan(table.values(r, c));
    if (!any)
      throw InputError(fmt::format("column \"{}\" has no value in any row; leave it out", table.names[c]));
  }
}

Dataset with_imputed_cells(const Dataset& dataset, std::uint64_t seed, int threads) {
  require_some_value(dataset.table);
  Dataset filled = dataset;
  std::vector<char> discrete = regressed_as_categories(dataset.table);
  if (widened_width(dataset.table, discrete) > kWidestRegressions) {
    fill_with_means(dataset.table, filled.table.values);
    return filled;
  }
  const std::vector<std::size_t> order = canonical_row_order(dataset, resolve_threads(threads));
  const Dataset ordered = take_rows(dataset, order);
  Matrix<double> values = ordered.table.values;
  const Imputation imputation(ordered.table, std::move(discrete), seed);
  parallel_for(values.rows(), threads, [&](std::size_t row) { imputation.fill(row, values); });
  for (std::size_t k = 0; k < order.size(); ++k)
    std::ranges::copy(values.row(k), filled.table.values.row(order[k]).begin());
  return filled;
}

std::string imputation_sentence(const Dataset& dataset) {
  const bool wide = widened_width(dataset.table, regressed_as_categories(dataset.table)) > kWidestRegressions;
  const std::size_t cells = missing_cells(dataset.table);
  return fmt::format("{} missing cell{}: filled in {}", cells, cells == 1 ? "" : "s",
                     wide ? "by means (among categories by the most frequent value)"
                          : "by regression on the other cells of their rows, with residuals of other rows");
}

}  // namespace causcale
