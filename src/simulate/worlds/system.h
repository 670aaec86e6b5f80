// An acyclic system of variables, some of them hidden, made into a sample: values in causal order under
// interventions, labels by latent projection, units and codes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simulate/worlds/treatments.h"
#include "simulate/worlds/world_draw.h"

namespace causcale {

using Columns = std::vector<std::vector<double>>;  // [node][row]

struct System {
  Digraph graph;
  std::vector<int> order;            // topological
  std::vector<std::uint8_t> hidden;  // one flag per node
  std::vector<ColumnKind> kinds;     // one per node; kContinuous unless a world says otherwise
  std::vector<int> states;           // of a node of 0, ..., states - 1; 0: numbers; or kOwnValues

  // What the node does by itself, in all rows, from what its parents show; `random` is the node's own.
  std::function<void(int node, const Columns& seen, RandomStream& random, std::span<double> out)> fill;

  // Between the system and the table, such as batches of measurements; may be empty.
  std::function<void(Columns& measured)> measure;

  // Selection: so many times the rows are made, and of every regime those of highest score are kept; the
  // score is called with what is measured. 1 and empty: all rows.
  int surplus = 1;
  std::function<std::vector<double>(const Columns& measured)> score;

  // A system of numbers on a graph; nothing hidden.
  explicit System(SampledGraph sampled);
  int nodes() const { return graph.nodes(); }
};

// A graph over the measured and hidden variables as the settings say; the hidden ones are any nodes, or those
// with most children.
System draw_system(WorldDraw& draw);

WorldSample sample_system(WorldDraw& draw, const System& system);

// What any world ends with: labels, kinds, names. `measured` has a column per node; `units`: numbers are put
// into random units and states into codes.
WorldSample make_sample(WorldDraw& draw, const Digraph& graph, std::span<const std::uint8_t> hidden,
                        Columns measured, std::span<const ColumnKind> kinds, const TreatmentPlan& plan,
                        bool units);

}  // namespace causcale
