#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/distributions.h"
#include "data/audit_parts.h"
#include "data/little_test.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

constexpr double kLevel = 0.01;     // after multiplication by the number of tests of a column
constexpr double kFewestCells = 5;  // on either side of a comparison
constexpr double kMostWork = 3e8;   // cells looked at; beyond, evenly spaced rows stand for all
constexpr std::size_t kMostCategories = 50;

// Values of one column in the rows where another is missing, or is not.
struct Side {
  double count = 0.0, sum = 0.0, squares = 0.0;
  void add(double value) {
    count += 1.0;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double variance() const { return std::max(0.0, squares - sum * sum / count) / (count - 1.0); }
};

// Welch's test of equal means; 1: nothing can be said.
double welch(const Side& a, const Side& b) {
  if (a.count < kFewestCells || b.count < kFewestCells) return 1.0;
  const double va = a.variance() / a.count, vb = b.variance() / b.count, both = va + vb;
  if (!(both > 0.0)) return 1.0;
  const double degrees = both * both / (va * va / (a.count - 1.0) + vb * vb / (b.count - 1.0));
  return student_two_sided((a.mean() - b.mean()) / std::sqrt(both), degrees);
}

// Pearson's test of independence for a table of two rows.
double chi_square(const std::vector<double>& a, const std::vector<double>& b) {
  double total_a = 0.0, total_b = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    total_a += a[k];
    total_b += b[k];
  }
  if (total_a < kFewestCells || total_b < kFewestCells) return 1.0;
  double statistic = 0.0, degrees = -1.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double both = a[k] + b[k];
    if (both == 0.0) continue;
    degrees += 1.0;
    const double expected_a = both * total_a / (total_a + total_b), expected_b = both - expected_a;
    statistic += (a[k] - expected_a) * (a[k] - expected_a) / expected_a +
                 (b[k] - expected_b) * (b[k] - expected_b) / expected_b;
  }
  return chi_square_tail(statistic, degrees);
}

}  // namespace

void audit_missingness(const Table& table, const std::vector<ColumnKind>& kinds, FindingList& findings) {
  const std::size_t n = table.cols(), m = table.rows();
  std::vector<std::size_t> gaps(n, 0);
  std::vector<double> mean(n, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const double value = table.values(r, c);
      gaps[c] += std::isnan(value);
      if (std::isfinite(value))
        mean[c] += value / static_cast<double>(m);  // roughly; it only keeps sums small
    }
  const auto incomplete =
      static_cast<double>(n - static_cast<std::size_t>(std::count(gaps.begin(), gaps.end(), std::size_t{0})));
  if (incomplete == 0.0) return;
  if (const std::optional<LittleTest> test = little_test(table, kinds)) {
    const bool at_random = test->p >= kLevel;
    findings.add(at_random ? Severity::kNote : Severity::kWarning,
                 at_random ? "missing_completely_at_random" : "missing_with_values", {},
                 fmt::format("gaps {} (Little's test: chi-square {:.1f} with {:.0f} degrees of freedom, p = "
                             "{:.2g}; {} columns, {} rows)",
                             at_random ? "look as if they were there completely at random"
                                       : "are not there completely at random",
                             test->statistic, test->degrees, test->p, test->columns, test->rows),
                 at_random ? "" : "rows without gaps are not like the others; see which columns, if listed");
  }
  const double work = incomplete * static_cast<double>(n) * static_cast<double>(m);
  const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(work / kMostWork)));
  const auto is_category = [&](std::size_t c) {
    return c < table.levels.size() && table.levels[c].size() > 2 &&
           table.levels[c].size() <= kMostCategories && kinds[c] == ColumnKind::kUnordered;
  };

  for (std::size_t c = 0; c < n; ++c) {
    if (static_cast<double>(gaps[c]) < kFewestCells || static_cast<double>(m - gaps[c]) < kFewestCells)
      continue;
    std::vector<Side> here(n), gone(n);
    std::vector<std::vector<double>> levels_here(n), levels_gone(n);
    for (std::size_t k = 0; k < n; ++k)
      if (is_category(k)) {
        levels_here[k].assign(table.levels[k].size(), 0.0);
        levels_gone[k].assign(table.levels[k].size(), 0.0);
      }
    for (std::size_t r = 0; r < m; r += step) {
      const auto row = table.values.row(r);
      const bool missing = std::isnan(row[c]);
      std::vector<Side>& side = missing ? gone : here;
      for (std::size_t k = 0; k < n; ++k) {
        if (!std::isfinite(row[k])) continue;
        if (levels_here[k].empty())
          side[k].add(row[k] - mean[k]);
        else
          (missing ? levels_gone : levels_here)[k][static_cast<std::size_t>(row[k])] += 1.0;
      }
    }
    double least = 1.0;
    std::size_t with = c, tests = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (k == c) continue;
      const double p =
          levels_here[k].empty() ? welch(here[k], gone[k]) : chi_square(levels_here[k], levels_gone[k]);
      ++tests;
      if (p >= least) continue;
      least = p;
      with = k;
    }
    if (with == c || least * static_cast<double>(tests) >= kLevel) continue;
    findings.add(Severity::kWarning, "missing_not_at_random", {table.names[c], table.names[with]},
                 fmt::format("whether {} is missing goes with {} (p = {:.2g}, the least of {} tests)",
                             quoted_excerpt(table.names[c]), quoted_excerpt(table.names[with]), least, tests),
                 "rows without gaps are not like the others, and neither are means that are filled in");
  }
}

}  // namespace causcale
