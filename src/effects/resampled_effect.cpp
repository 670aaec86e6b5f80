#include "effects/resampled_effect.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "base/random.h"
#include "effects/adjustment_sets.h"
#include "effects/effect_rows.h"

namespace causcale {
namespace {

// What one graph says has to be estimated; nothing on the way means an effect of zero.
struct GraphPlan {
  std::vector<int> causal, set;
};

GraphPlan plan_of(const Digraph& graph, int cause, int outcome) {
  const Digraph dag = ancestral_graph(graph, cause, outcome);
  GraphPlan plan{causal_nodes(dag, cause, outcome), {}};
  if (!plan.causal.empty()) plan.set = optimal_set(dag, cause, outcome);
  return plan;
}

class RowDraw {
 public:
  explicit RowDraw(const Dataset& dataset) : dataset_(dataset) {
    const std::vector<int>& regimes = dataset.interventions.regime_of_row;
    for (std::size_t r = 0; r < dataset.table.rows(); ++r)
      members_[regimes.empty() ? 0 : regimes[r]].push_back(r);
  }

  Dataset draw(std::uint64_t seed, std::uint32_t repetition) const {
    RandomStream random(seed, repetition, Purpose::kEffectRows);
    Dataset drawn = {.table = {.names = dataset_.table.names,
                               .values = Matrix<double>(dataset_.table.rows(), dataset_.table.cols()),
                               .kinds = dataset_.table.kinds,
                               .levels = {}},
                     .interventions = dataset_.interventions};
    for (const auto& [regime, rows] : members_)
      for (const std::size_t row : rows) {
        const std::size_t from = rows[random.below(static_cast<std::uint32_t>(rows.size()))];
        std::ranges::copy(dataset_.table.values.row(from), drawn.table.values.row(row).begin());
      }
    return drawn;
  }

 private:
  const Dataset& dataset_;
  std::map<int, std::vector<std::size_t>> members_;
};

}  // namespace

void add_bootstrap(const Dataset& dataset, const Digraph& dag, const TotalEffectOptions& options,
                   TotalEffect& answer) {
  if (options.bootstrap <= 0) return;
  std::vector<GraphPlan> plans;
  if (options.graphs && !options.graphs->empty())
    for (const Digraph& graph : *options.graphs)
      plans.push_back(plan_of(graph, answer.cause, answer.outcome));
  else if (answer.identification == Identification::kAdjustment)
    plans.push_back({causal_nodes(dag, answer.cause, answer.outcome), answer.optimal});
  if (plans.empty()) return;
  // The kinds of the columns are those of the whole table, whichever rows are drawn; only the columns in
  // question are copied.
  std::vector<int> number(dataset.table.cols(), -1), columns{answer.cause, answer.outcome};
  for (const GraphPlan& plan : plans) columns.insert(columns.end(), plan.set.begin(), plan.set.end());
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const EffectTable whole(dataset);
  Dataset narrow;
  narrow.table.values = Matrix<double>(dataset.table.rows(), columns.size());
  narrow.interventions = dataset.interventions;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto from = static_cast<std::size_t>(columns[c]);
    number[from] = static_cast<int>(c);
    narrow.table.names.push_back(dataset.table.names[from]);
    narrow.table.kinds.push_back(whole.kind(columns[c]));
    for (std::size_t r = 0; r < dataset.table.rows(); ++r)
      narrow.table.values(r, c) = dataset.table.values(r, from);
  }
  // Interventions on other columns still count as such: those get numbers behind the columns.
  int further = static_cast<int>(columns.size());
  for (int& own : number)
    if (own < 0) own = further++;
  const auto renumbered = [&](std::vector<int> nodes) {
    for (int& node : nodes)
      node = static_cast<std::size_t>(node) < number.size()
                 ? number[static_cast<std::size_t>(node)]
                 : further + (node - static_cast<int>(number.size()));
    std::ranges::sort(nodes);
    return nodes;
  };
  for (std::vector<int>& regime : narrow.interventions.regimes) regime = renumbered(std::move(regime));
  for (GraphPlan& plan : plans) {
    plan.causal = renumbered(std::move(plan.causal));
    plan.set = renumbered(std::move(plan.set));
  }
  const int cause = number[static_cast<std::size_t>(answer.cause)],
            outcome = number[static_cast<std::size_t>(answer.outcome)];

  const RowDraw rows(narrow);
  std::vector<double> sizes(static_cast<std::size_t>(options.bootstrap), 0.0);
  parallel_for(sizes.size(), options.threads, [&](std::size_t k) {
    const GraphPlan& plan = plans[k % plans.size()];
    if (plan.causal.empty()) return;
    const Dataset drawn = rows.draw(options.seed, static_cast<std::uint32_t>(k));
    const EffectTable table(drawn);
    sizes[k] = EffectEstimation(table, cause, outcome, plan.causal).linear("optimal", plan.set).size;
  });
  std::erase_if(sizes, [](double size) { return std::isnan(size); });
  answer.bootstrap = sizes.size();
  if (sizes.empty()) return;
  std::ranges::sort(sizes);
  const auto quantile = [&](double share) {
    return sizes[static_cast<std::size_t>(share * static_cast<double>(sizes.size() - 1) + 0.5)];
  };
  answer.bootstrap_low = quantile(0.05);
  answer.bootstrap_high = quantile(0.95);
}

}  // namespace causcale
