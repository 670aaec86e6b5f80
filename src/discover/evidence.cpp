#include "discover/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/parallel.h"
#include "discover/evidence_tests.h"
#include "discover/select.h"
#include "effects/variables.h"
#include "methods/column_codes.h"

namespace causcale {
namespace {

constexpr double kLargestRate = 0.2;
// Fewer rows say too little to contradict the network: weak effects do not show in them.
constexpr std::size_t kEnoughRows = 300;
// More rows do not change what is beyond doubt; evenly spaced ones are looked at.
constexpr std::size_t kMostRows = 20000;

class EvidenceSearch {
 public:
  explicit EvidenceSearch(const Dataset& dataset)
      : dataset_(dataset),
        discrete_(discrete_columns(dataset.table)),
        touched_(dataset.interventions.regimes.size()) {
    for (std::size_t k = 0; k < touched_.size(); ++k) touched_[k] = dataset.interventions.regimes[k];
  }

  // Edges that share their target.
  void look(int target, std::span<EdgeEvidence* const> edges) const {
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < dataset_.table.rows(); ++r)
      if (!intervened(r, target)) rows.push_back(r);
    const std::size_t usable = rows.size();
    rows = spaced_rows(std::move(rows), kMostRows);
    const TestColumn effect = column(target, rows);
    for (EdgeEvidence* found : edges) {
      found->rows = usable;
      if (rows.size() >= kFewestTestedRows)
        found->p = independence_p(column(found->edge.source, rows), effect);
      found->shift_p = shift(found->edge.source, target);
    }
  }

 private:
  bool intervened(std::size_t row, int variable) const {
    const auto& regime = dataset_.interventions.regime_of_row;
    return !regime.empty() && std::ranges::binary_search(touched_[regime[row]], variable);
  }
  bool observational(std::size_t row) const {
    return touched_[dataset_.interventions.regime_of_row[row]].empty();
  }

  TestColumn column(int variable, const std::vector<std::size_t>& rows) const {
    const auto c = static_cast<std::size_t>(variable);
    return test_column(dataset_.table, c, discrete_[c], rows);
  }

  double shift(int source, int target) const {
    if (dataset_.interventions.regime_of_row.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::size_t> there, plain, other;
    for (std::size_t r = 0; r < dataset_.table.rows(); ++r) {
      if (intervened(r, target)) continue;
      if (intervened(r, source))
        there.push_back(r);
      else
        (observational(r) ? plain : other).push_back(r);
    }
    if (there.empty()) return std::numeric_limits<double>::quiet_NaN();
    there = spaced_rows(std::move(there), kMostRows);
    const std::vector<std::size_t> here = spaced_rows(std::move(plain.empty() ? other : plain), kMostRows);
    std::vector<char> moved(there.size(), 1);
    moved.resize(there.size() + here.size(), 0);
    there.insert(there.end(), here.begin(), here.end());
    return shift_p(column(target, there), moved);
  }

  const Dataset& dataset_;
  std::vector<char> discrete_;
  std::vector<std::vector<int>> touched_;  // per regime
};

}  // namespace

std::vector<EdgeEvidence> edge_evidence(const Dataset& dataset, std::span<const Edge> edges, int threads) {
  constexpr double kUntested = std::numeric_limits<double>::quiet_NaN();
  std::vector<EdgeEvidence> found;
  for (const Edge& edge : edges)
    found.push_back({edge, 0, kUntested, kUntested, kUntested, kUntested, false});
  std::map<int, std::vector<EdgeEvidence*>> of_target;
  for (EdgeEvidence& entry : found) of_target[entry.edge.target].push_back(&entry);
  const std::vector<std::pair<int, std::vector<EdgeEvidence*>>> work(of_target.begin(), of_target.end());
  const EvidenceSearch search(dataset);
  parallel_for(work.size(), threads, [&](std::size_t k) { search.look(work[k].first, work[k].second); });

  std::vector<double> p, shift;
  for (const EdgeEvidence& entry : found) {
    p.push_back(entry.p);
    shift.push_back(entry.shift_p);
  }
  p = false_discovery_rates(p);
  shift = false_discovery_rates(shift);
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].q = p[k];
    found[k].shift_q = shift[k];
    found[k].struck = found[k].rows >= kEnoughRows && p[k] > kLargestRate && !(shift[k] <= kLargestRate);
  }
  return found;
}

const EdgeEvidence* find_evidence(const DiscoverResult& result, Edge edge) {
  const auto found = std::ranges::lower_bound(result.evidence, edge, {}, &EdgeEvidence::edge);
  return found != result.evidence.end() && found->edge == edge ? &*found : nullptr;
}

void select_graph_with_evidence(const Dataset& dataset, const DiscoverOptions& options,
                                DiscoverResult& result) {
  result.evidence.clear();
  result.struck_edges.clear();
  if (options.evidence == EvidenceRule::kOff) return select_graph(options, result);
  result.evidence = edge_evidence(dataset, selected_edges(options, result.probabilities), options.threads);

  // Only the edges that stay take part, so that the K best are not filled up with edges that nobody has
  // tested, and no edge goes for a cycle through a struck one.
  std::vector<Edge> kept;
  for (EdgeEvidence& entry : result.evidence) {
    const auto [source, target] = entry.edge;
    const double probability = result.probabilities(source, target);
    if (std::ranges::find(options.knowledge.required, entry.edge) != options.knowledge.required.end())
      entry.struck = false;
    if (entry.struck)
      result.struck_edges.push_back({entry.edge, probability});
    else
      kept.push_back(entry.edge);
  }
  select_graph(options, std::move(kept), result);
  std::ranges::stable_sort(result.struck_edges, std::greater{}, &ScoredEdge::score);
  if (result.struck_edges.empty()) return;
  const std::size_t count = result.struck_edges.size();
  result.applicability.push_back(
      {"edges_without_dependence",
       fmt::format("{} of {} arrows without any dependence in the data {} struck out", count,
                   result.evidence.size(), count == 1 ? "was" : "were"),
       "--evidence off keeps them; causes that cancel each other or act only together leave no trace in "
       "pairs of columns"});
}

}  // namespace causcale
