// How long does it take to bring rows into canonical order, and what would ranking the columns by comparisons
// alone take? One thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "causcale/table.h"
#include "data/standardize.h"

namespace {

using causcale::Matrix;

// The opponent: the values of each column sorted with std::sort, nothing else.
std::uint64_t sort_columns(const Matrix<double>& values) {
  std::uint64_t used = 0;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    std::vector<std::pair<double, std::uint32_t>> column(values.rows());
    for (std::size_t r = 0; r < values.rows(); ++r) column[r] = {values(r, c), static_cast<std::uint32_t>(r)};
    std::sort(column.begin(), column.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    used += column.front().second;
  }
  return used;
}

double best_milliseconds(const std::function<std::uint64_t()>& work, std::uint64_t& used) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    used += work();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

}  // namespace

int main() {
  fmt::print("{:>6} {:>6} {:>22} {:>22} {:>7}\n", "rows", "n", "canonical order (ms)", "std::sort alone (ms)",
             "ratio");
  std::uint64_t used = 0;  // so that nothing is left out as useless
  for (const auto& [rows, variables] : {std::pair{1000, 20}, {1000, 100}, {20000, 100}, {1000, 1000}}) {
    causcale::RandomStream random(1, 0, 0);
    causcale::Dataset dataset;
    dataset.table.values = Matrix<double>(rows, variables);
    for (double& value : dataset.table.values.values()) value = random.normal();
    for (int c = 0; c < variables; ++c) dataset.table.names.push_back(fmt::format("x{}", c));
    const double order = best_milliseconds(
        [&] { return std::uint64_t{causcale::canonical_row_order(dataset, 1).front()}; }, used);
    const double sorting = best_milliseconds([&] { return sort_columns(dataset.table.values); }, used);
    fmt::print("{:>6} {:>6} {:>22.2f} {:>22.2f} {:>7.2f}\n", rows, variables, order, sorting,
               sorting / order);
  }
  return used == 0 ? 1 : 0;
}
