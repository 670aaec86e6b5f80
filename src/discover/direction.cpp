#include "discover/direction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "base/parallel.h"
#include "discover/compelled.h"
#include "discover/evidence.h"
#include "discover/evidence_tests.h"
#include "discover/residual_fit.h"
#include "effects/variables.h"
#include "graph/cycles.h"
#include "graph/reachability.h"
#include "methods/column_codes.h"

namespace causcale {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFewestRows = 100;
constexpr std::size_t kMostRows = 2000;         // what more rows would tell is beyond doubt
constexpr std::size_t kMostCandidates = 20000;  // among which those that suit an edge are looked for
constexpr double kTellingZ = 2.576;             // one per cent on both sides
// A ratio of likelihoods of one hundred: z says little where two models hardly differ.
constexpr double kTellingLogRatio = 4.6;
constexpr double kIndependentNoise = 0.05;  // p value above which noise counts as independent of its cause
constexpr double kTellingShift = 0.05;      // q value

using Columns = std::vector<std::vector<double>>;

struct RatioTest {
  double z = kUnknown, log_ratio = kUnknown;
  bool tells() const { return z >= kTellingZ && log_ratio >= kTellingLogRatio; }
};

RatioTest compare(std::span<const double> one, std::span<const double> other) {
  const auto m = static_cast<double>(one.size());
  double sum = 0.0, squares = 0.0;
  for (std::size_t r = 0; r < one.size(); ++r) sum += one[r] - other[r];
  for (std::size_t r = 0; r < one.size(); ++r) squares += std::pow(one[r] - other[r] - sum / m, 2);
  return {squares > 0.0 ? sum / std::sqrt(squares) : 0.0, sum};
}

void add(std::vector<double>& sum, const std::vector<double>& summand) {
  sum.resize(summand.size(), 0.0);
  for (std::size_t r = 0; r < summand.size(); ++r) sum[r] += summand[r];
}

double p_of_independence(const std::vector<double>& a, const std::vector<double>& b) {
  Table pair;
  pair.names = {"a", "b"};
  pair.values = Matrix<double>(a.size(), 2);
  std::vector<std::size_t> rows(a.size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    pair.values(r, 0) = a[r];
    pair.values(r, 1) = b[r];
    rows[r] = r;
  }
  return independence_p(test_column(pair, 0, false, rows), test_column(pair, 1, false, rows));
}

Columns with(Columns columns, const std::vector<double>& one) {
  columns.insert(columns.begin(), one);
  return columns;
}

class DirectionSearch {
 public:
  DirectionSearch(const Dataset& dataset, const Digraph& dag)
      : table_(dataset), discrete_(discrete_columns(dataset.table)), dag_(dag), rows_(table_.rows()) {
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    rows_ = spaced_rows(std::move(rows_), kMostCandidates);
  }

  DirectionEvidence look(Edge edge) const {
    const auto [source, target] = edge;
    std::vector<int> others(dag_.parents(target).begin(), dag_.parents(target).end());
    std::erase(others, source);
    return {edge, given(edge, others), shape(edge, others), kUnknown, DirectionBasis::kUntested};
  }

  // Of the edge against its reverse, in the acyclic graph.
  RatioTest structure(Edge edge) const {
    const auto [source, target] = edge;
    std::vector<int> of_source(dag_.parents(source).begin(), dag_.parents(source).end());
    std::vector<int> of_target(dag_.parents(target).begin(), dag_.parents(target).end());
    std::erase(of_target, source);
    if (of_source == of_target) return {0.0, 0.0};
    if (closes_cycle(edge)) return {};
    const std::vector<std::size_t> rows = untouched(edge, of_source, of_target);
    if (rows.size() < kFewestRows) return {};
    const auto all = scores({source, target}, rows);
    const Columns first = scores(of_source, rows), second = scores(of_target, rows);
    if (all.size() != 2 || first.size() < of_source.size() || second.size() < of_target.size()) return {};
    std::vector<double> forward, backward;
    for (const auto& [sum, target_column, predictors] :
         {std::tuple(&forward, all[0], first), std::tuple(&forward, all[1], with(second, all[0])),
          std::tuple(&backward, all[1], second), std::tuple(&backward, all[0], with(first, all[1]))}) {
      const std::vector<double> terms = gaussian_terms(straight_residuals(target_column, predictors));
      if (terms.empty()) return {};
      add(*sum, terms);
    }
    return compare(forward, backward);
  }

 private:
  std::vector<std::size_t> rows_where(const std::vector<int>& untouched,
                                      const std::vector<int>& complete) const {
    std::vector<std::size_t> rows;
    for (const std::size_t r : rows_)
      if (std::ranges::none_of(untouched, [&](int v) { return table_.intervened(r, v); }) &&
          table_.complete(r, complete))
        rows.push_back(r);
    return spaced_rows(std::move(rows), kMostRows);
  }
  std::vector<std::size_t> untouched(Edge edge, std::vector<int> used, const std::vector<int>& more) const {
    used.insert(used.end(), more.begin(), more.end());
    used.push_back(edge.source);
    used.push_back(edge.target);
    return rows_where({edge.source, edge.target}, used);
  }

  // Of every variable the columns of a regression, standardised; constants give none.
  Columns regressors(const std::vector<int>& variables, const std::vector<std::size_t>& rows) const {
    Columns columns;
    for (const int v : variables)
      for (const Column& column : table_.variable(v, rows).columns)
        if (auto standard = standard_scores(column); !standard.empty())
          columns.push_back(std::move(standard));
    return columns;
  }
  // Normal scores; fewer columns than variables where one is constant or has no order.
  Columns scores(const std::vector<int>& variables, const std::vector<std::size_t>& rows) const {
    Columns columns;
    const Table& table = table_.dataset().table;
    for (const int v : variables) {
      if (table_.variable(v, rows).columns.size() != 1) continue;
      TestColumn column = test_column(table, static_cast<std::size_t>(v), false, rows);
      if (auto standard = standard_scores(std::move(column.scores)); !standard.empty())
        columns.push_back(std::move(standard));
    }
    return columns;
  }
  static std::vector<double> gaussian_terms(std::vector<double> residuals) {
    double squares = 0.0;
    for (const double value : residuals) squares += value * value;
    const double variance = squares / static_cast<double>(residuals.size());
    if (!(variance > 0.0)) return {};
    for (double& value : residuals) value = -0.5 * std::log(variance) - 0.5 * value * value / variance;
    return residuals;
  }

  // Is there a way from source to target beside the edge?
  bool closes_cycle(Edge edge) const {
    for (const int child : dag_.children(edge.source)) {
      if (child == edge.target) continue;
      const int from[] = {child};
      if (descendants(dag_, from)[static_cast<std::size_t>(edge.target)]) return true;
    }
    return false;
  }

  double given(Edge edge, const std::vector<int>& others) const {
    std::vector<int> used = others;
    used.push_back(edge.source);
    used.push_back(edge.target);
    const std::vector<std::size_t> rows = rows_where({edge.target}, used);
    if (rows.size() < kFewestTestedRows) return kUnknown;
    const Columns pair = scores({edge.source, edge.target}, rows);
    if (pair.size() != 2) return kUnknown;
    const Columns rest = regressors(others, rows);
    if (rest.empty()) return p_of_independence(pair[0], pair[1]);
    const auto source = bent_residuals(pair[0], rest), target = bent_residuals(pair[1], rest);
    if (source.empty() || target.empty()) return kUnknown;
    return p_of_independence(source, target);
  }

  double shape(Edge edge, std::vector<int> others) const {
    const auto [source, target] = edge;
    if (discrete_[static_cast<std::size_t>(source)] || discrete_[static_cast<std::size_t>(target)])
      return kUnknown;
    // Causes of both alike for both directions, so that what is compared are shapes alone. What lies on a
    // way between the two is no common cause.
    const auto parents = dag_.parents(source);
    others.insert(others.end(), parents.begin(), parents.end());
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    const int from[] = {source};
    const auto later = descendants(dag_, from);
    std::erase_if(others,
                  [&, target = target](int v) { return v == target || later[static_cast<std::size_t>(v)]; });

    const std::vector<std::size_t> rows = untouched(edge, others, {});
    if (rows.size() < kFewestRows) return kUnknown;
    const Columns pair = regressors({source, target}, rows);
    if (pair.size() != 2) return kUnknown;
    const Columns common = regressors(others, rows);
    const auto x = bent_residuals(pair[0], common), y = bent_residuals(pair[1], common);
    const auto y_of_x = bent_residuals(pair[1], with(common, pair[0]));
    const auto x_of_y = bent_residuals(pair[0], with(common, pair[1]));
    for (const auto* residuals : {&x, &y, &y_of_x, &x_of_y})
      if (residuals->empty() || standard_scores(*residuals).empty()) return kUnknown;
    std::vector<double> forward = log_density(x), backward = log_density(y);
    add(forward, log_density(y_of_x));
    add(backward, log_density(x_of_y));
    const double z = compare(forward, backward).z;
    if (std::abs(z) < kTellingZ) return z;
    const double p = z > 0.0 ? p_of_independence(y_of_x, pair[0]) : p_of_independence(x_of_y, pair[1]);
    return p > kIndependentNoise ? z : 0.0;
  }

  EffectTable table_;
  std::vector<char> discrete_;
  const Digraph& dag_;
  std::vector<std::size_t> rows_;
};

bool shift_tells(const DiscoverResult& result, Edge edge) {
  const EdgeEvidence* found = find_evidence(result, edge);
  return found != nullptr && found->shift_q <= kTellingShift;
}

DirectionBasis basis_of(const DirectionEvidence& entry, bool known, bool shifted, bool compelled) {
  if (known) return DirectionBasis::kKnowledge;
  if (shifted) return DirectionBasis::kIntervention;
  if (entry.shape_z >= kTellingZ) return DirectionBasis::kShape;
  if (compelled) return DirectionBasis::kStructure;
  if (entry.shape_z <= -kTellingZ) return DirectionBasis::kReverse;
  if (std::isnan(entry.shape_z) && std::isnan(entry.structure_z)) return DirectionBasis::kUntested;
  return DirectionBasis::kNone;
}

}  // namespace

std::vector<DirectionEvidence> direction_evidence(const Dataset& dataset, const Knowledge& knowledge,
                                                  const DiscoverResult& result, int threads) {
  const Digraph dag = break_cycles(result.graph, result.probabilities).graph;
  const DirectionSearch search(dataset, dag);
  const auto edges = result.graph.edges();
  std::vector<DirectionEvidence> found(edges.size());
  std::vector<char> borne_out(edges.size(), 0);
  parallel_for(edges.size(), threads, [&](std::size_t k) {
    found[k] = search.look(edges[k]);
    if (!dag.has_edge(edges[k].source, edges[k].target)) return;
    const RatioTest ratio = search.structure(edges[k]);
    found[k].structure_z = ratio.z;
    borne_out[k] = ratio.tells();
  });
  const Digraph compelled = compelled_edges(dag, [&](Edge edge) {
    return borne_out[static_cast<std::size_t>(std::ranges::lower_bound(edges, edge) - edges.begin())] != 0;
  });
  const std::set<Edge> required(knowledge.required.begin(), knowledge.required.end());
  for (DirectionEvidence& entry : found) {
    const auto [source, target] = entry.edge;
    const bool known = required.contains(entry.edge) || knowledge.forbids({target, source});
    entry.basis = basis_of(entry, known, shift_tells(result, entry.edge), compelled.has_edge(source, target));
  }
  return found;
}

const DirectionEvidence* find_direction(const DiscoverResult& result, Edge edge) {
  const auto found = std::ranges::lower_bound(result.directions, edge, {}, &DirectionEvidence::edge);
  return found != result.directions.end() && found->edge == edge ? &*found : nullptr;
}

void warn_of_untold_directions(DiscoverResult& result) {
  const auto count = [&](DirectionBasis basis) {
    return std::ranges::count(result.directions, basis, &DirectionEvidence::basis);
  };
  const auto untold = count(DirectionBasis::kNone), reverse = count(DirectionBasis::kReverse);
  const auto edges = result.directions.size();
  if (untold > 0)
    result.applicability.push_back(
        {"directions_untold",
         fmt::format("nothing in the data tells the direction of {} of {} arrow{}", untold, edges,
                     edges == 1 ? "" : "s"),
         "take these for links; interventions on either end would tell (causcale next)"});
  if (reverse > 0)
    result.applicability.push_back(
        {"directions_doubtful",
         fmt::format("the shape of the data speaks for the reverse of {} of {} arrow{}", reverse, edges,
                     edges == 1 ? "" : "s"),
         "with additive noise and no hidden cause, the reverse explains these pairs better"});
}

}  // namespace causcale
