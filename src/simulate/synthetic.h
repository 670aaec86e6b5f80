// Tables from random structural causal models. The defaults are the paper's; everything else is for breadth.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/graph.h"
#include "causcale/table.h"
#include "simulate/graph_model.h"
#include "simulate/mechanisms.h"
#include "simulate/noise.h"
#include "simulate/observation.h"
#include "simulate/regimes.h"

namespace causcale {

// Roots have mean 0 and the variance of U(-1, 1), except that a mixture has centres of its own.
enum class RootDistribution { kUniform, kGaussian, kMixture };

struct SyntheticOptions {
  GraphModel graph_model = GraphModel::kErdosRenyi;
  int nodes = 10;  // hidden ones included
  double edges_per_node = 1.0;
  int rows = 1000;
  Mechanism mechanism = Mechanism::kLinear;
  std::vector<Mechanism> mixed_mechanisms;  // when given, every node takes one of these at random
  NoiseFamily noise = NoiseFamily::kGaussian;
  NoiseCoupling coupling = NoiseCoupling::kAdditive;
  double noise_scale = 0.4;   // times sqrt(1 + U(0, 1)), drawn anew per node and regime
  double noise_spread = 1.0;  // each node's noise, or values as a root, times a factor from 1/s to s
  double effect_scale = 1.0;  // parents' effects times this, see scale_effects; the noise stays
  RootDistribution roots = RootDistribution::kUniform;
  int hidden = 0;  // nodes of highest out-degree that are left out of the table; never intervened on
  InterventionDesign interventions;
  ObservationOptions observation;
  // Only for the graph models that know them, see GraphOptions.
  double attachment_power = 1.0;
  bool reverse_edges = false;
  int blocks = 5;
  double block_damping = 0.1;
  double rewiring = 0.3;

  GraphOptions graph_options() const {
    return {graph_model,   nodes,  edges_per_node, attachment_power,
            reverse_edges, blocks, block_damping,  rewiring};
  }
};

struct Simulation {
  Dataset dataset;
  Digraph graph;             // of the visible nodes, in the order of the columns
  std::vector<int> visible;  // column -> node of full_graph
  Digraph full_graph;        // hidden nodes included
};

void check_synthetic_options(const SyntheticOptions& options);  // throws UsageError

// Pure functions of their arguments: data set `index` of a seed never depends on threads or on other data
// sets.
Simulation simulate_synthetic(const SyntheticOptions& options, std::uint64_t seed, std::uint32_t index);
// On a graph of one's own; the options' graph model is not used. Throws InputError when it has a cycle.
Simulation simulate_synthetic(const SyntheticOptions& options, const Digraph& graph, std::uint64_t seed,
                              std::uint32_t index);

}  // namespace causcale
