#include "simulate/causal_model.h"

#include <cmath>
#include <utility>

#include "simulate/batch_random.h"
#include "simulate/draw_mechanism.h"
#include "simulate/hidden.h"

namespace causcale {
namespace {

RandomStream stream(const CausalModel& model, Purpose purpose, std::uint32_t item) {
  return {model.seed, model.index, static_cast<std::uint32_t>(purpose), item};
}

// A regime may have several targets and a node several regimes: the pair is the address.
RandomStream change_stream(const CausalModel& model, int node, int regime) {
  return stream(model, Purpose::kInterventionChange,
                static_cast<std::uint32_t>(regime) * static_cast<std::uint32_t>(model.graph.nodes()) +
                    static_cast<std::uint32_t>(node));
}

RootMixture draw_mixture(RandomStream random) {
  RootMixture mixture;
  mixture.parts = 2 + static_cast<int>(random.below(kMixturePartsAtMost - 1));
  for (int k = 0; k < mixture.parts; ++k) {
    mixture.centre[k] = static_cast<float>(random.uniform(-1.0, 1.0));
    mixture.deviation[k] = static_cast<float>(random.uniform(0.1, 0.4));
  }
  return mixture;
}

void soften(RandomStream random, NodeChange& change) {
  change.scale = static_cast<float>(random.uniform(0.2, 0.8));
  const float distance = static_cast<float>(random.uniform(0.5, 2.0));
  change.shift = random.coin() ? distance : -distance;
}

void set_values(const InterventionDesign& design, RandomStream random, NodeChange& change) {
  change.kind = ChangeKind::kUniformValue;
  change.scale = static_cast<float>(design.value_spread);
  if (design.value_shift > 0) change.shift = static_cast<float>(design.value_shift * random.normal());
}

void change_root(RandomStream random, NodeChange& change) {
  change.scale = static_cast<float>(random.uniform(0.3, 2.0));
  change.shift = static_cast<float>(random.uniform(-1.0, 1.0));
}

void block(RandomStream random, NodeChange& change) {
  change.scale = static_cast<float>(random.uniform(0.0, 0.3));
  change.shift = static_cast<float>(random.uniform(-1.0, 1.0));
  change.unseen = true;
}

NodeMechanism draw_scaled_mechanism(const SyntheticOptions& options, Mechanism kind, int parents,
                                    RandomStream& random, std::vector<float>& parameters) {
  const NodeMechanism mechanism = draw_mechanism(kind, options.coupling, parents, random, parameters);
  if (options.effect_scale != 1)
    scale_effects(mechanism, static_cast<float>(options.effect_scale), parameters);
  return mechanism;
}

void draw_node(CausalModel& model, int number, const std::vector<int>& regimes) {
  const SyntheticOptions& options = model.options;
  const int parents = static_cast<int>(model.graph.parents(number).size());
  CausalModelNode& node = model.nodes[number];
  RandomStream weights = stream(model, Purpose::kWeights, static_cast<std::uint32_t>(number));
  Mechanism kind = options.mechanism;
  if (parents > 0) {
    const auto choices = static_cast<std::uint32_t>(options.mixed_mechanisms.size());
    if (choices > 0) kind = options.mixed_mechanisms[weights.below(choices)];
    node.mechanism = draw_scaled_mechanism(options, kind, parents, weights, model.parameters);
  } else if (options.roots == RootDistribution::kMixture) {
    node.mixture = draw_mixture(weights);
  }
  if (options.noise_spread > 1)
    node.size = static_cast<float>(
        stream(model, Purpose::kNodeSize, static_cast<std::uint32_t>(number)).factor(options.noise_spread));

  std::uint32_t values = 0;
  for (const int regime : regimes) {
    NodeChange change;
    change.regime = regime;
    switch (options.interventions.effect) {
      case InterventionEffect::kNone:
        continue;
      case InterventionEffect::kPerfect:
        set_values(options.interventions, change_stream(model, number, regime), change);
        change.first_value = values;
        values += static_cast<std::uint32_t>(model.plan.first_row[regime + 1] - model.plan.first_row[regime]);
        break;
      case InterventionEffect::kSoft:
        soften(change_stream(model, number, regime), change);
        break;
      case InterventionEffect::kBlocked:
        block(change_stream(model, number, regime), change);
        break;
      case InterventionEffect::kMechanismChange: {
        RandomStream random = change_stream(model, number, regime);
        if (parents == 0) {
          change_root(random, change);
        } else {
          change.kind = ChangeKind::kMechanism;
          change.mechanism = draw_scaled_mechanism(options, kind, parents, random, model.parameters);
        }
        break;
      }
    }
    node.changes.push_back(change);
  }
}

}  // namespace

CausalModel draw_model(const SyntheticOptions& options, Digraph graph, std::vector<int> order,
                       std::uint64_t seed, std::uint32_t index) {
  CausalModel model;
  model.options = options;
  model.seed = seed;
  model.index = index;
  model.graph = std::move(graph);
  model.order = std::move(order);
  model.visible = visible_nodes(model.graph, options.hidden);
  RandomStream regime_random = stream(model, Purpose::kRegimes, 0);
  model.plan = plan_regimes(options.interventions, model.visible, options.rows, regime_random);

  std::vector<std::vector<int>> regimes_of_node(model.graph.nodes());
  const auto& regimes = model.plan.interventions.regimes;
  for (std::size_t regime = 0; regime < regimes.size(); ++regime)
    for (const int target : regimes[regime]) regimes_of_node[target].push_back(static_cast<int>(regime));
  model.nodes.resize(model.graph.nodes());
  for (const int node : model.order) draw_node(model, node, regimes_of_node[node]);
  return model;
}

CausalModel draw_model(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index) {
  check_synthetic_options(options);
  RandomStream random(seed, index, Purpose::kGraph);
  SampledGraph sampled = sample_graph(options.graph_options(), random);
  return draw_model(options, std::move(sampled.graph), std::move(sampled.order), seed, index);
}

}  // namespace causcale
