// The yardstick of interventional data: which variables shift when another is intervened on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "causcale/error.h"
#include "methods/column_codes.h"
#include "methods/edge_permissions.h"
#include "methods/method.h"
#include "methods/shift/shift_rows.h"
#include "methods/shift/shift_statistics.h"

namespace causcale {
namespace {

MethodResult run_mean_shift(const Dataset& dataset, const MethodOptions& options) {
  const std::vector<std::string> kinds{"mean", "spread", "distribution"};
  const std::string kind = text_setting(options, "shift", "mean", kinds);
  const double alpha = number_setting(options, "alpha", 0.05, 1e-300, 1.0);
  if (dataset.interventions.observational())
    throw InputError(
        "mean-shift compares rows under interventions with the others, and no row of this table is under one "
        "(name them with --interventions or --targets)");
  const int n = static_cast<int>(dataset.table.cols());
  const ShiftRows rows(dataset);
  const EdgePermissions permissions(n, options.knowledge);
  Matrix<double> p_values(n, n, 1.0);
  MethodResult result;
  result.scores = Matrix<double>(n, n);
  result.graph = MixedGraph(n);
  result.graph_class = GraphClass::kDirected;
  std::size_t pairs = 0;
  int untouched = 0;
  for (int i = 0; i < n; ++i) {
    report_progress(options, "mean-shift", static_cast<double>(i) / n);
    const std::vector<std::size_t>& treated = rows.treated(i);
    if (treated.empty()) {
      ++untouched;
      continue;
    }
    const std::vector<std::size_t> control = rows.control(i);
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const std::vector<double> before = rows.values(dataset.table, j, control);
      const std::vector<double> after = rows.values(dataset.table, j, treated);
      const Shift shift = kind == "mean"     ? mean_shift(before, after)
                          : kind == "spread" ? spread_shift(before, after)
                                             : distribution_shift(before, after);
      ++pairs;
      if (!permissions.allowed(i, j)) continue;
      result.scores(i, j) = shift.size;
      p_values(i, j) = shift.p_value;
    }
  }
  double highest = 0.0;
  for (const double score : result.scores.values()) highest = std::max(highest, score);
  for (const Edge& edge : permissions.required) {
    result.scores(edge.source, edge.target) = highest + 1.0;
    p_values(edge.source, edge.target) = 0.0;
  }
  const double level = alpha / static_cast<double>(std::max<std::size_t>(1, pairs));
  std::size_t both_ways = 0;
  const auto shifts = [&](int i, int j) {
    return p_values(i, j) < level || std::ranges::binary_search(permissions.required, Edge{i, j});
  };
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const bool forth = shifts(i, j), back = shifts(j, i);
      both_ways += forth && back;
      if (forth && (!back || result.scores(i, j) >= result.scores(j, i)))
        result.graph.set(i, j, Mark::kTail, Mark::kArrow);
      else if (back)
        result.graph.set(j, i, Mark::kTail, Mark::kArrow);
    }
  if (!rows.has_control())
    result.log.push_back(
        "hardly any row is without intervention: rows are compared with all others in which the "
        "variable was left alone");
  if (const std::size_t missing = missing_cells(dataset.table); missing > 0)
    result.log.push_back(
        fmt::format("{} missing cells: a shift is that of the values that are there", missing));
  if (untouched > 0)
    result.log.push_back(
        fmt::format("{} variables were never intervened on and have no outgoing edges", untouched));
  if (both_ways > 0)
    result.log.push_back(fmt::format("{} pairs shift both ways; the larger shift gives the edge", both_ways));
  return result;
}

}  // namespace

Method mean_shift_method() {
  Method method;
  method.name = "mean-shift";
  method.summary = "pairs ranked by how far j shifts under interventions on i";
  method.assumptions =
      "none but interventions; effects through others count like direct ones: a yardstick for methods that "
      "use "
      "interventions";
  method.interventions = "used";
  method.graph_class = GraphClass::kDirected;
  method.cost = "O(n m) an intervened variable";
  method.citation =
      "Chevalley et al., CausalBench: a large-scale benchmark for network inference from single-cell "
      "perturbation data, 2022 (mean difference)";
  method.settings = {
      {"shift", "mean",
       "mean: in standard deviations of the control rows; spread: of absolute deviations from the median; "
       "distribution: greatest difference of the distribution functions"},
      {"alpha", "0.05", "edges: p value below this divided by the number of pairs (Bonferroni)"}};
  method.takes_missing = true;
  method.needs_interventions = true;
  method.run = run_mean_shift;
  return method;
}

}  // namespace causcale
