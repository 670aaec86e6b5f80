#include "methods/constraint/constraint_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "causcale/error.h"
#include "methods/correlation_matrix.h"

namespace causcale {
namespace {

std::vector<int> order_by_content(const Matrix<double>& values) {
  const std::size_t m = values.rows(), n = values.cols();
  std::vector<std::pair<double, double>> moments(n);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const double value = values(r, c), square = value * value;
      moments[c].first += square * square;
      moments[c].second += square * value;
    }
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int a, int b) {
    if (moments[a] != moments[b]) return moments[a] < moments[b];
    for (std::size_t r = 0; r < m; ++r)
      if (values(r, a) != values(r, b)) return values(r, a) < values(r, b);
    return false;
  });
  return order;
}

double mark_weight(const MixedGraph& graph, int a, int b) {
  const Mark at_a = graph.mark(b, a), at_b = graph.mark(a, b);
  if (at_a == Mark::kArrow) return 0.25;
  if (at_b == Mark::kArrow) return at_a == Mark::kTail ? 1.0 : 0.75;
  return 0.5;
}

}  // namespace

ConstraintProblem constraint_problem(const Dataset& dataset, const MethodOptions& options, double alpha) {
  const Table& table = dataset.table;
  if (table.rows() < 4)
    throw InputError(fmt::format("Fisher's z needs at least 4 rows, the table has {}", table.rows()));
  StandardColumns columns = standard_columns(table.values);
  std::vector<std::string> log;
  if (const std::string note = constant_columns_note(columns, table.names); !note.empty())
    log.push_back(note);
  if (!dataset.interventions.observational())
    log.push_back("rows under interventions are pooled with the others; the method does not know of them");

  const std::vector<int> order = order_by_content(columns.values);
  const int n = static_cast<int>(order.size());
  StandardColumns sorted = columns;
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (int k = 0; k < n; ++k) sorted.values(r, k) = columns.values(r, order[k]);
  std::vector<int> position(n);
  for (int k = 0; k < n; ++k) position[order[k]] = k;
  return {FisherZ(correlation_matrix(sorted), table.rows(), alpha),
          EdgeRules(renumbered(options.knowledge, position), n), order, std::move(log)};
}

MethodResult constraint_result(const ConstraintProblem& problem, const Skeleton& skeleton,
                               const MixedGraph& graph, GraphClass graph_class) {
  const int n = graph.nodes();
  MethodResult result;
  result.graph_class = graph_class;
  result.graph = MixedGraph(n);
  result.scores = Matrix<double>(n, n);
  result.log = problem.log;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      if (a == b) continue;
      const int from = problem.column_of[a], to = problem.column_of[b];
      result.graph.set_mark(from, to, graph.mark(a, b));
      const double sureness = 1.0 - 1.0 / (1.0 + skeleton.weakest(a, b));
      result.scores(from, to) = problem.rules.demands(a, b)   ? 1.0
                                : problem.rules.forbids(a, b) ? 0.0
                                                              : sureness * mark_weight(graph, a, b);
    }
  return result;
}

std::vector<MethodSetting> constraint_settings() {
  return {{"alpha", "0.05", "significance level of Fisher's z test, between 0 and 1"},
          {"max-conditioning", "-1", "largest size of conditioning sets; -1: no limit"}};
}

double alpha_setting(const MethodOptions& options) {
  return number_setting(options, "alpha", 0.05, 1e-300, 1.0 - 1e-12);
}

SkeletonOptions skeleton_options(const MethodOptions& options, const std::string& method,
                                 SeparatorPool pool) {
  SkeletonOptions result;
  result.max_conditioning = static_cast<int>(number_setting(options, "max-conditioning", -1, -1, 1e6));
  result.pool = pool;
  result.threads = options.threads;
  result.progress = [&options, method](int level, double share) {
    report_progress(options, fmt::format("{}: conditioning sets of {}", method, level), 0.8 * share);
  };
  result.check = [&options, method] { check_cancelled(options, method); };
  return result;
}

}  // namespace causcale
