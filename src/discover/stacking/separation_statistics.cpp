// Which pairs no small set of other variables makes independent, and the colliders that follow (PC).
#include <algorithm>
#include <numeric>
#include <string>

#include "data/standardize.h"
#include "discover/stacking/method_watch.h"
#include "discover/stacking/parts.h"
#include "effects/variables.h"
#include "methods/column_codes.h"
#include "methods/constraint/constraint_problem.h"
#include "methods/constraint/pc_search.h"

namespace causcale {
namespace {

// Tests grow with columns to the power of this and two.
const char* largest_separator(std::size_t columns) {
  return columns <= 30 ? "3" : columns <= 80 ? "2" : "1";
}

// A test with a discrete column looks at every row. Tables in which all depends on all would take an hour.
constexpr std::size_t kMostCountedRows = 3000;
constexpr std::int64_t kMostCounts = 1'000'000'000;

MethodResult separations(const Dataset& dataset, const MethodOptions& options) {
  const bool counts =
      std::ranges::any_of(discrete_columns(dataset.table), [](char discrete) { return discrete != 0; });
  const std::size_t m = dataset.table.rows();
  if (counts && m > kMostCountedRows) {
    std::vector<std::size_t> rows(m);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return separations(take_rows(dataset, spaced_rows(std::move(rows), kMostCountedRows)), options);
  }
  const ConstraintProblem problem = constraint_problem(dataset, options);
  SkeletonOptions how = skeleton_options(options, "pc", SeparatorPool::kPossibleParents);
  if (counts) how.max_tests = kMostCounts / static_cast<std::int64_t>(m);
  const Skeleton skeleton = stable_skeleton(*problem.test, problem.rules, how);
  const PcResult oriented =
      orient_pc(skeleton, *problem.test, problem.rules, ColliderRule::kPlain, options.threads, how.check);
  return constraint_result(problem, skeleton, oriented.graph, GraphClass::kCpdag);
}

}  // namespace

void add_separation_statistics(const Dataset& dataset, int threads, const std::function<void()>& wanted,
                               PairStatistics& statistics) {
  const std::size_t n = statistics.columns;
  MethodWatch watch(wanted);
  MethodOptions options;
  options.threads = threads;
  options.cancelled = [&] { return watch.ended(); };
  options.settings["max-conditioning"] = largest_separator(n);
  MethodResult found;
  if (!watch.run([&] { found = separations(dataset, options); })) return;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const int a = static_cast<int>(i), b = static_cast<int>(j);
      const bool forward = found.graph.directed(a, b), reverse = found.graph.directed(b, a);
      statistics.at(DirectedStatistic::kSeparationArrow, i, j) = forward;
      statistics.at(DirectedStatistic::kSeparationArrow, j, i) = reverse;
      statistics.set(SymmetricStatistic::kSeparationLink, i, j, found.graph.adjacent(a, b));
      // The weakest test's statistic w as w / (1 + w), of which pairs without direction have a half each way.
      const double larger = std::max(found.scores(i, j), found.scores(j, i));
      const double sureness = std::clamp(forward || reverse ? larger : 2.0 * larger, 0.0, 1.0 - 1e-9);
      statistics.set(SymmetricStatistic::kSeparationWeakest, i, j, compressed(sureness / (1.0 - sureness)));
    }
}

}  // namespace causcale
