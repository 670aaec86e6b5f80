#include "simulate/worlds/gene_network.h"

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

// Protein when the activation is 1.
double full_protein(const GeneNetwork& network, int gene) {
  return network.production[gene] / network.decay[gene] * network.translation[gene] /
         network.protein_decay[gene];
}

}  // namespace

GeneNetwork draw_gene_network(const Digraph& graph, double least_hill, double most_hill,
                              RandomStream& random) {
  GeneNetwork network{graph, {}, {}, {}, {}, {}, {}, {}};
  const int genes = graph.nodes();
  for (int gene = 0; gene < genes; ++gene) {
    network.production.push_back(random.factor(2.0));
    network.decay.push_back(random.factor(2.0));
    network.translation.push_back(random.factor(2.0));
    network.protein_decay.push_back(random.factor(2.0));
  }
  for (int gene = 0; gene < genes; ++gene) {
    std::vector<GeneRegulator> regulators;
    bool activated = false;
    for (const int parent : graph.parents(gene)) {
      const double share = std::exp(random.uniform(std::log(0.05), std::log(0.8)));
      const bool activates = random.coin(0.6);
      activated |= activates;
      regulators.push_back(
          {parent, activates, share * full_protein(network, parent), random.uniform(least_hill, most_hill)});
    }
    network.regulators.push_back(std::move(regulators));
    network.all_needed.push_back(random.coin(0.4) ? 1 : 0);
    network.basal.push_back(activated ? random.uniform(0.0, 0.3) : random.uniform(0.4, 1.0));
  }
  return network;
}

double activation_of(const GeneNetwork& network, int gene, std::span<const double> protein) {
  double together = 1, none = 1, free = 1;
  bool activated = false;
  for (const GeneRegulator& regulator : network.regulators[gene]) {
    const double ratio = std::pow(protein[regulator.gene] / regulator.half, regulator.hill);
    if (regulator.activates) {
      activated = true;
      together *= ratio / (1 + ratio);
      none /= 1 + ratio;
    } else {
      free /= 1 + ratio;
    }
  }
  const double basal = network.basal[gene];
  const double driven = !activated ? 0.0 : network.all_needed[gene] ? together : 1 - none;
  return (basal + (1 - basal) * driven) * free;
}

GeneState rates_of(const GeneNetwork& network, std::span<const double> factors, const GeneState& state) {
  GeneState rates;
  for (int gene = 0; gene < network.genes(); ++gene) {
    rates.mrna.push_back(factors[gene] * network.production[gene] *
                             activation_of(network, gene, state.protein) -
                         network.decay[gene] * state.mrna[gene]);
    rates.protein.push_back(network.translation[gene] * state.mrna[gene] -
                            network.protein_decay[gene] * state.protein[gene]);
  }
  return rates;
}

// At rest both equations give protein = factor full_protein activation(protein). Gene by gene, every protein
// moves towards that: by the whole distance first, in smaller steps where this goes round in circles.
bool settle(const GeneNetwork& network, std::span<const double> factors, GeneState& state) {
  const int genes = network.genes();
  std::vector<double> full(genes);
  for (int gene = 0; gene < genes; ++gene) full[gene] = full_protein(network, gene);
  state.protein.resize(genes);
  bool settled = false;
  for (const auto& [step, sweeps] : {std::pair(1.0, 60), std::pair(0.5, 100), std::pair(0.1, 400)}) {
    for (int sweep = 0; sweep < sweeps && !settled; ++sweep) {
      settled = true;
      for (int gene = 0; gene < genes; ++gene) {
        const double goal = factors[gene] * full[gene] * activation_of(network, gene, state.protein);
        const double distance = goal - state.protein[gene];
        settled = settled && std::abs(distance) <= 1e-9 * full[gene];
        state.protein[gene] += step * distance;
      }
    }
    if (settled) break;
  }
  state.mrna.resize(genes);
  for (int gene = 0; gene < genes; ++gene)
    state.mrna[gene] = state.protein[gene] * network.protein_decay[gene] / network.translation[gene];
  return settled;
}

void soften(GeneNetwork& network) {
  for (std::vector<GeneRegulator>& regulators : network.regulators)
    for (GeneRegulator& regulator : regulators) regulator.hill *= 0.7;
}

}  // namespace causcale
