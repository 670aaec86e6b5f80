// A structural causal model drawn down to its last parameter, before any row is sampled: what the samplers on
// the host (synthetic.cpp) and on a GPU (packed_models.h) have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/graph.h"
#include "simulate/mechanisms.h"
#include "simulate/regimes.h"
#include "simulate/synthetic.h"

namespace causcale {

inline constexpr int kMixturePartsAtMost = 4;

// Equally likely Gaussians.
struct RootMixture {
  int parts = 0;
  float centre[kMixturePartsAtMost] = {};
  float deviation[kMixturePartsAtMost] = {};
};

enum class ChangeKind {
  kUniformValue,  // scale * U(-1, 1) + shift in place of what the parents say
  kAffine,        // scale * value + shift
  kMechanism,     // another mechanism with the same parents and noise
};

// What an intervention does to one node in the rows of one regime.
struct NodeChange {
  int regime = 0;
  ChangeKind kind = ChangeKind::kAffine;
  std::uint32_t first_value = 0;  // uniform value: number in the node's stream of the regime's first row
  float scale = 1.0f, shift = 0.0f;
  bool unseen = false;  // the node's children see the change, the table does not
  NodeMechanism mechanism = {};
};

struct CausalModelNode {
  NodeMechanism mechanism = {};     // of nodes with parents
  RootMixture mixture;              // of roots, where they are mixtures
  float size = 1.0f;                // factor of the noise, or of a root's values
  std::vector<NodeChange> changes;  // ascending in the regime
};

struct CausalModel {
  SyntheticOptions options;
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
  Digraph graph;  // hidden nodes included
  std::vector<int> order;
  std::vector<int> visible;
  RegimePlan plan;  // targets are node numbers
  std::vector<CausalModelNode> nodes;
  std::vector<float> parameters;  // of all mechanisms; centres and scales of inputs are still 0 and 1

  BatchAddress address(Purpose purpose, int node) const {
    return {seed, index, purpose, static_cast<std::uint32_t>(node)};
  }
};

CausalModel draw_model(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index);
// On a graph of one's own with a topological order of its nodes.
CausalModel draw_model(const SyntheticOptions& options, Digraph graph, std::vector<int> order,
                       std::uint64_t seed, std::uint32_t index);

// Rows of a model, on the host.
Simulation sample_model(CausalModel model);

}  // namespace causcale
