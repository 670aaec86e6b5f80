#include "methods/constraint/constraint_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/column_codes.h"
#include "methods/constraint/choose_test.h"
#include "methods/correlation_matrix.h"
#include "methods/widened_columns.h"

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

// A missing value stands at the mean.
StandardColumns standardised(const Table& table) {
  if (missing_cells(table) == 0) return standard_columns(table.values);
  const std::vector<char> none(table.cols(), 0);
  const WidenedColumns columns = widened_columns(table, none);
  StandardColumns result{Matrix<double>(table.rows(), table.cols()), {}, {}};
  for (std::size_t c = 0; c < table.cols(); ++c) {
    if (columns.blocks[c].width == 0) {
      result.constant.push_back(c);
      continue;
    }
    for (std::size_t r = 0; r < table.rows(); ++r) {
      const double value = columns.values(r, columns.blocks[c].begin);
      result.values(r, c) = std::isnan(value) ? 0.0 : value;
    }
  }
  return result;
}

Table in_order(const Table& table, const std::vector<int>& order) {
  Table result;
  result.values = Matrix<double>(table.rows(), table.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto column = static_cast<std::size_t>(order[k]);
    result.names.push_back(table.names[column]);
    if (table.kinds.size() == table.cols()) result.kinds.push_back(table.kinds[column]);
    if (table.levels.size() == table.cols()) result.levels.push_back(table.levels[column]);
    for (std::size_t r = 0; r < table.rows(); ++r) result.values(r, k) = table.values(r, column);
  }
  return result;
}

double mark_weight(const MixedGraph& graph, int a, int b) {
  const Mark at_a = graph.mark(b, a), at_b = graph.mark(a, b);
  if (at_a == Mark::kArrow) return 0.25;
  if (at_b == Mark::kArrow) return at_a == Mark::kTail ? 1.0 : 0.75;
  return 0.5;
}

}  // namespace

ConstraintProblem constraint_problem(const Dataset& dataset, const MethodOptions& options) {
  const Table& table = dataset.table;
  const StandardColumns columns = standardised(table);
  std::vector<std::string> log;
  if (const std::string note = constant_columns_note(columns, table.names); !note.empty())
    log.push_back(note);
  if (!dataset.interventions.observational())
    log.push_back("rows under interventions are pooled with the others; the method does not know of them");

  const std::vector<int> order = order_by_content(columns.values);
  const int n = static_cast<int>(order.size());
  std::vector<int> position(n);
  for (int k = 0; k < n; ++k) position[order[k]] = k;
  ChosenTest chosen = choose_test(in_order(table, order), options);
  log.insert(log.end(), chosen.log.begin(), chosen.log.end());
  return {std::move(chosen.test), EdgeRules(renumbered(options.knowledge, position), n), order,
          std::move(log)};
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
  std::vector<MethodSetting> settings = test_settings();
  settings.push_back({"max-conditioning", "-1", "largest size of conditioning sets; -1: no limit"});
  return settings;
}

SkeletonOptions skeleton_options(const MethodOptions& options, const std::string& method,
                                 SeparatorPool pool) {
  SkeletonOptions result;
  result.max_conditioning = static_cast<int>(number_setting(options, "max-conditioning", -1, -1, 1e6));
  result.pool = pool;
  result.threads = options.threads;
  result.progress = [&options, method](int level, std::size_t edges, double share) {
    report_progress(options,
                    fmt::format("{}: conditioning sets of {}, {} adjacent pairs left by smaller ones", method,
                                level, edges),
                    0.8 * share);
  };
  result.check = [&options, method] { check_cancelled(options, method); };
  return result;
}

}  // namespace causcale
