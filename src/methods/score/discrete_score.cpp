#include "methods/score/discrete_score.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "methods/method.h"
#include "methods/score/intervened_rows.h"
#include "methods/strata.h"

namespace causcale {

DiscreteScore::DiscreteScore(std::vector<CodedColumn> columns, const Interventions& interventions,
                             DiscreteScoreKind kind, double weight, double expected_parents)
    : columns_(std::move(columns)),
      set_(intervened_rows(interventions, columns_.size())),
      kind_(kind),
      weight_(weight),
      rows_(columns_.empty() ? 0 : columns_.front().codes.size()) {
  if (expected_parents > 0.0 && nodes() > 1) {
    const double probability = std::min(0.5, expected_parents / (nodes() - 1.0));
    per_edge_ = std::log(probability / (1.0 - probability));
  }
  for (const CodedColumn& column : columns_)
    if (kind == DiscreteScoreKind::kBdeu && column.missing)
      throw NeedsCompleteCells("score bdeu cannot use rows with missing values; discrete-bic can");
}

double DiscreteScore::compute(int target, const std::vector<int>& parents) const {
  const CodedColumn& own = columns_[target];
  const Strata strata = strata_of(columns_, parents, rows_);
  const std::size_t levels = static_cast<std::size_t>(own.levels),
                    width = static_cast<std::size_t>(own.width());
  std::vector<std::uint32_t> counts((strata.count + std::size_t{1}) * width, 0);
  const std::vector<char>& set = set_[target];
  for (std::size_t r = 0; r < rows_; ++r)
    if (set.empty() || !set[r]) ++counts[strata.of_row[r] * width + own.codes[r]];
  double combinations = 1.0;
  for (const int parent : parents) combinations *= std::max(1, columns_[parent].levels);

  if (kind_ == DiscreteScoreKind::kBdeu) {
    const double of_stratum = weight_ / combinations,
                 of_cell = of_stratum / std::max<double>(1.0, own.levels);
    const double start = log_gamma(of_stratum), cell_start = log_gamma(of_cell);
    double sum = 0.0;
    for (std::size_t s = 0; s < strata.count; ++s) {
      double whole = 0.0;
      for (std::size_t k = 0; k < levels; ++k) {
        const double count = counts[s * width + k];
        if (count == 0.0) continue;
        whole += count;
        sum += log_gamma(count + of_cell) - cell_start;
      }
      if (whole > 0.0) sum += start - log_gamma(whole + of_stratum);
    }
    return sum + per_edge_ * static_cast<double>(parents.size());
  }

  double likelihood = 0.0, used = 0.0;
  for (std::size_t s = 0; s < strata.count; ++s) {
    double whole = 0.0;
    for (std::size_t k = 0; k < levels; ++k) {
      const double count = counts[s * width + k];
      if (count > 0.0) likelihood += count * std::log(count);
      whole += count;
    }
    if (whole > 0.0) likelihood -= whole * std::log(whole);
    used += whole;
  }
  const double rows = static_cast<double>(rows_ - (set.empty() ? 0 : std::ranges::count(set, 1)));
  if (used > 0.0) likelihood *= rows / used;
  return likelihood - weight_ * 0.5 * std::log(static_cast<double>(rows_)) * (own.levels - 1) * combinations;
}

}  // namespace causcale
