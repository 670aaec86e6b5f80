#include "methods/constraint/conditional_gaussian_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/distributions.h"
#include "base/parallel.h"
#include "methods/constraint/fisher_z.h"

namespace causcale {
namespace {

constexpr double kUndecided = std::numeric_limits<double>::infinity();
constexpr double kRowsPerVariable = 5.0;

// Twice the log-likelihood of a set of variables, but for terms that cancel in the ratio.
struct SetFit {
  double twice_log_likelihood = 0.0;
  double cells = 0.0;
  double determined_rows = 0.0;  // in which the last continuous variable is a combination of the others
};

SetFit fit(const std::vector<CellMoments>& cells, std::span<const int> discrete,
           std::span<const int> continuous) {
  SetFit result;
  for (const CellMoments& cell : coarser_cells(cells, discrete, continuous)) {
    bool determined = false;
    result.twice_log_likelihood += 2.0 * cell.rows * std::log(cell.rows) -
                                   cell.rows * log_determinant(cell, kDeterminedVariance, &determined);
    result.cells += 1.0;
    if (determined) result.determined_rows += cell.rows;
  }
  return result;
}

// Sum over the combinations of the condition of (values of x - 1)(values of y - 1), the first two of a key.
double table_degrees(const std::vector<CellMoments>& cells) {
  std::vector<std::vector<std::uint16_t>> keys;
  for (const CellMoments& cell : cells) {
    std::vector<std::uint16_t> key(cell.key.begin() + 2, cell.key.end());
    key.push_back(cell.key[0]);
    key.push_back(cell.key[1]);
    keys.push_back(std::move(key));
  }
  std::ranges::sort(keys);
  double sum = 0.0;
  for (std::size_t begin = 0; begin < keys.size();) {
    const std::size_t condition = keys[begin].size() - 2;
    std::size_t end = begin;
    std::vector<char> of_x(256, 0), of_y(256, 0);
    while (end < keys.size() &&
           std::equal(keys[end].begin(), keys[end].begin() + condition, keys[begin].begin())) {
      of_x[keys[end][condition]] = of_y[keys[end][condition + 1]] = 1;
      ++end;
    }
    sum += static_cast<double>(std::ranges::count(of_x, 1) - 1) * (std::ranges::count(of_y, 1) - 1);
    begin = end;
  }
  return sum;
}

}  // namespace

ConditionalGaussianTest::ConditionalGaussianTest(MixedColumns columns, double alpha, int threads)
    : columns_(std::move(columns)),
      critical_(two_sided_normal_quantile(alpha)),
      pairs_(columns_.discrete.size(), columns_.discrete.size()) {
  parallel_for(pairs_.rows(), threads, [&](std::size_t x) {
    for (std::size_t y = x + 1; y < pairs_.rows(); ++y)
      pairs_(x, y) = strength_of(value(static_cast<int>(x), static_cast<int>(y), {}));
  });
  for (std::size_t x = 0; x < pairs_.rows(); ++x)
    for (std::size_t y = 0; y < x; ++y) pairs_(x, y) = pairs_(y, x);
}

MixedValue ConditionalGaussianTest::value(int x, int y, std::span<const int> given) const {
  MixedValue result;
  if (columns_.constant(x) || columns_.constant(y)) return result;
  // x and y stand first among the discrete members and last among the continuous ones.
  const auto [low, high] = std::minmax(x, y);
  std::vector<int> sorted(given.begin(), given.end());
  std::ranges::sort(sorted);
  const MixedMembers condition = split_members(columns_, sorted);
  MixedMembers members;
  for (const int v : {low, high})
    if (columns_.discrete[v]) members.discrete.push_back(v);
  members.discrete.insert(members.discrete.end(), condition.discrete.begin(), condition.discrete.end());
  members.continuous = condition.continuous;
  for (const int v : {low, high})
    if (!columns_.discrete[v]) members.continuous.push_back(v);

  std::vector<CellMoments> cells = cell_moments(columns_, members);
  if (!members.continuous.empty()) {
    const double least = kRowsPerVariable * static_cast<double>(members.continuous.size() + 1);
    std::erase_if(cells, [least](const CellMoments& cell) { return cell.rows < least; });
  }
  for (const CellMoments& cell : cells) result.rows += cell.rows;
  if (cells.empty()) return result;

  const auto positions = [](const std::vector<int>& list, int without_a, int without_b) {
    std::vector<int> kept;
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k] != without_a && list[k] != without_b) kept.push_back(static_cast<int>(k));
    return kept;
  };
  const auto fit_without = [&](int a, int b) {
    return fit(cells, positions(members.discrete, a, b), positions(members.continuous, a, b));
  };
  const SetFit both = fit_without(-1, -1), only_x = fit_without(high, -1), only_y = fit_without(low, -1),
               neither = fit_without(low, high);
  result.statistic = std::max(0.0, both.twice_log_likelihood - only_x.twice_log_likelihood -
                                       only_y.twice_log_likelihood + neither.twice_log_likelihood);
  const auto of_gaussian = [](double k) { return k + 0.5 * k * (k + 1.0); };
  const double k = static_cast<double>(condition.continuous.size());
  const double cx = !columns_.discrete[low], cy = !columns_.discrete[high];
  result.degrees = both.cells * of_gaussian(k + cx + cy) - only_x.cells * of_gaussian(k + cx) -
                   only_y.cells * of_gaussian(k + cy) + neither.cells * of_gaussian(k);
  result.degrees = std::max(0.0, result.degrees);
  if (cx == 0.0 && cy == 0.0) result.degrees += table_degrees(cells);
  result.determined = (cx > 0.0 && only_x.determined_rows > 0.5 * result.rows) ||
                      (cy > 0.0 && only_y.determined_rows > 0.5 * result.rows);
  if (cx == 0.0 && cy == 0.0 && condition.continuous.empty() && result.degrees == 0.0)
    result.determined = result.rows >= kRowsPerVariable * neither.cells;
  return result;
}

double ConditionalGaussianTest::strength_of(const MixedValue& value) const {
  if (value.determined) return kUndecided;
  if (!(value.degrees > 0.0)) return 0.0;
  return normal_of_log_p(log_chi_square_tail(value.statistic, value.degrees)) / critical_;
}

double ConditionalGaussianTest::strength(int x, int y, std::span<const int> given) const {
  return given.empty() ? pairs_(x, y) : strength_of(value(x, y, given));
}

double ConditionalGaussianTest::relevance(int x, int y, int candidate) const {
  return std::min(pairs_(x, candidate), pairs_(y, candidate));
}

}  // namespace causcale
