// Gene regulation as differential equations for mRNA and protein, and their steady states.
//
//   d mRNA / dt    = factor production activation(proteins) - decay mRNA
//   d protein / dt = translation mRNA - protein_decay protein
// A factor of 0 is a knock-out, 1/2 a knock-down. The activation of a gene lies in [0, 1] and comes from Hill
// functions of its regulators: activators act together (all of them) or each alone (any of them), repressors
// each alone.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"

namespace causcale {

struct GeneRegulator {
  int gene;
  bool activates;
  double half;  // protein at which the response is one half
  double hill;
};

struct GeneNetwork {
  Digraph graph;  // may have cycles
  std::vector<std::vector<GeneRegulator>> regulators;
  std::vector<std::uint8_t> all_needed;  // activators act together
  std::vector<double> basal;             // activation without any activator
  std::vector<double> production, decay, translation, protein_decay;

  int genes() const { return graph.nodes(); }
};

struct GeneState {
  std::vector<double> mrna, protein;
};

GeneNetwork draw_gene_network(const Digraph& graph, double least_hill, double most_hill,
                              RandomStream& random);

double activation_of(const GeneNetwork& network, int gene, std::span<const double> protein);
// Left sides of the equations.
GeneState rates_of(const GeneNetwork& network, std::span<const double> factors, const GeneState& state);

// From the given state to a steady one; false when none is reached, as in networks that oscillate.
bool settle(const GeneNetwork& network, std::span<const double> factors, GeneState& state);

// Hill exponents become smaller; after enough of it any network settles.
void soften(GeneNetwork& network);

}  // namespace causcale
