#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/audit_parts.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr std::size_t kFewestRows = 50;
constexpr std::size_t kFewestRowsOfCounter = 20;
constexpr double kAutocorrelation = 0.9;
constexpr double kEvenStep = 1e-9;  // of the whole range

// Steps that are all alike: a number of the row, or a time at even intervals.
bool evenly_spaced(const Matrix<double>& values, std::size_t c) {
  const std::size_t m = values.rows();
  const double first = values(0, c), range = values(m - 1, c) - first;
  if (!(std::abs(range) > 0.0) || !std::isfinite(range)) return false;
  for (std::size_t r = 1; r < m; ++r) {
    const double expected = first + range * static_cast<double>(r) / static_cast<double>(m - 1);
    if (!(std::abs(values(r, c) - expected) <= kEvenStep * std::abs(range))) return false;
  }
  return true;
}

// Never falling or never rising, with mostly different values.
bool sorted(const Matrix<double>& values, std::size_t c) {
  bool up = true, down = true;
  std::size_t steps = 0;
  for (std::size_t r = 1; r < values.rows() && (up || down); ++r) {
    const double before = values(r - 1, c), here = values(r, c);
    if (!std::isfinite(before) || !std::isfinite(here)) return false;
    up = up && here >= before;
    down = down && here <= before;
    steps += here != before;
  }
  return (up || down) && 2 * steps > values.rows();
}

// Between neighbouring rows of the same regime, about the regime's mean.
double lag_one(const Dataset& dataset, std::size_t c) {
  const Matrix<double>& values = dataset.table.values;
  const std::vector<int>& regime = dataset.interventions.regime_of_row;
  const auto regime_of = [&](std::size_t r) {
    return regime.empty() ? std::size_t{0} : static_cast<std::size_t>(regime[r]);
  };
  const std::size_t regimes = std::max<std::size_t>(1, dataset.interventions.regimes.size());
  std::vector<double> mean(regimes, 0.0), count(regimes, 0.0);
  for (std::size_t r = 0; r < values.rows(); ++r)
    if (std::isfinite(values(r, c))) {
      count[regime_of(r)] += 1.0;
      mean[regime_of(r)] += (values(r, c) - mean[regime_of(r)]) / count[regime_of(r)];
    }
  double product = 0.0, before = 0.0, here = 0.0, pairs = 0.0;
  for (std::size_t r = 1; r < values.rows(); ++r) {
    if (regime_of(r) != regime_of(r - 1) || !std::isfinite(values(r, c)) || !std::isfinite(values(r - 1, c)))
      continue;
    const double a = values(r - 1, c) - mean[regime_of(r)], b = values(r, c) - mean[regime_of(r)];
    product += a * b;
    before += a * a;
    here += b * b;
    pairs += 1.0;
  }
  if (pairs < kFewestRows / 2 || !(before > 0.0) || !(here > 0.0)) return 0.0;
  return product / std::sqrt(before * here);
}

}  // namespace

void audit_row_order(const Dataset& dataset, const std::vector<ColumnKind>& kinds, FindingList& findings) {
  const Table& table = dataset.table;
  const std::size_t m = table.rows();
  if (m < kFewestRowsOfCounter) return;
  std::vector<std::string> in_order, alike;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    const bool numbers = kinds[c] == ColumnKind::kContinuous || kinds[c] == ColumnKind::kCount ||
                         kinds[c] == ColumnKind::kDate;
    if (!numbers) continue;
    if (evenly_spaced(table.values, c)) {
      findings.add(
          Severity::kWarning, "row_number_column", {table.names[c]},
          fmt::format("column {} counts the rows", quoted_excerpt(table.names[c])),
          "a number of the row or a time is no variable like the others; leave it out with --exclude");
      continue;
    }
    if (sorted(table.values, c))
      in_order.push_back(table.names[c]);
    else if (m >= kFewestRows && lag_one(dataset, c) > kAutocorrelation)
      alike.push_back(table.names[c]);
  }
  if (!in_order.empty())
    findings.add(Severity::kNote, "sorted_column", in_order,
                 fmt::format("the rows are in the order of {}", name_list(in_order)), "");
  if (!alike.empty())
    findings.add(
        Severity::kWarning, "autocorrelated_rows", alike,
        fmt::format("each row resembles the one before (correlation above {}) in {} of {} columns: {}",
                    kAutocorrelation, alike.size(), table.cols(), name_list(alike)),
        "rows in the order of time are not independent: probabilities are too sure, and causes may come "
        "out reversed; take rows far apart, or a method for time series");
}

}  // namespace causcale
