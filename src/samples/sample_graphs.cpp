#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "causcale/error.h"
#include "causcale/samples.h"
#include "graph/apply_knowledge.h"
#include "graph/components.h"
#include "samples/component_samples.h"

namespace causcale {
namespace {

// Edges without alternative that form a cycle leave no acyclic graph; those that form none always do: the
// other pairs can follow their order.
void check_possible(int nodes, const std::vector<PairWeight>& pairs) {
  std::vector<Edge> forced;
  for (const PairWeight& pair : pairs) {
    if (pair.forced_forward()) forced.push_back({pair.a, pair.b});
    if (pair.forced_reverse()) forced.push_back({pair.b, pair.a});
  }
  const Components components = strongly_connected_components(Digraph(nodes, std::move(forced)));
  if (components.count == nodes) return;
  for (const std::vector<int>& members : components.members())
    if (members.size() > 1)
      throw InputError(fmt::format(
          "the probabilities allow no acyclic graph: edges of probability 1 form a cycle among the variables "
          "{} (counted from 0)",
          fmt::join(members, ", ")));
}

}  // namespace

GraphSamples sample_graphs(const Matrix<double>& probabilities, const SampleOptions& options) {
  if (options.count < 1)
    throw UsageError(fmt::format("samples: a number of 1 or more is expected, found {}", options.count));
  Matrix<double> known, feedback = options.feedback;
  if (!options.knowledge.empty()) {
    std::vector<std::string> names;
    for (std::size_t v = 0; v < probabilities.rows(); ++v) names.push_back(fmt::format("{}", v));
    options.knowledge.check(names);
    known = probabilities;
    apply_knowledge(options.knowledge, known, &feedback);
  }
  const int nodes = static_cast<int>(probabilities.rows());
  const std::vector<PairWeight> pairs =
      pair_weights(options.knowledge.empty() ? probabilities : known, feedback);
  check_possible(nodes, pairs);
  WeightParts parts = split_weights(nodes, pairs);

  GraphSamples samples;
  samples.nodes = nodes;
  samples.effective = options.count;
  std::vector<ComponentSamples> drawn;
  std::vector<std::string> methods;
  for (std::size_t c = 0; c < parts.components.size(); ++c) {
    drawn.push_back(sample_component(parts.components[c], {.count = options.count,
                                                           .seed = options.seed,
                                                           .component = static_cast<std::uint32_t>(c + 1),
                                                           .threads = options.threads}));
    const ComponentSamples& part = drawn.back();
    samples.exact = samples.exact && part.exact;
    if (part.exact) samples.acceptance = std::min(samples.acceptance, part.acceptance);
    samples.chains = std::max(samples.chains, part.chains);
    samples.sweeps = std::max(samples.sweeps, part.sweeps);
    samples.effective = std::min(samples.effective, part.effective);
    samples.scale_reduction = std::max(samples.scale_reduction, part.scale_reduction);
    if (std::ranges::find(methods, part.method) == methods.end()) methods.push_back(part.method);
  }
  std::ranges::sort(methods);
  samples.method = methods.empty() ? "independent pairs" : fmt::format("{}", fmt::join(methods, " + "));

  const IndependentDraw free(std::move(parts.free));
  samples.graphs.resize(options.count);
  parallel_for(samples.graphs.size(), options.threads, [&](std::size_t k) {
    RandomStream random(options.seed, 0, Purpose::kIndependentPairs, static_cast<std::uint32_t>(k));
    std::vector<Edge> edges;
    free.draw(random, edges);
    for (std::size_t c = 0; c < drawn.size(); ++c) {
      const std::vector<int>& number = parts.components[c].nodes;
      for (const Edge& edge : drawn[c].graphs[k]) edges.push_back({number[edge.source], number[edge.target]});
    }
    samples.graphs[k] = Digraph(nodes, std::move(edges));
  });
  return samples;
}

}  // namespace causcale
