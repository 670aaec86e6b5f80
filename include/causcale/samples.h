// Whole graphs drawn in proportion to the probabilities of their pairs, and what they say about causes that
// act through others.
//
//   causcale::GraphSamples samples = causcale::sample_graphs(result.probabilities, {.count = 1000});
//   causcale::ancestor_probabilities(samples)(i, j)  // that names[i] is a cause of names[j], by any path
//
// Every unordered pair {i, j} is i -> j, j -> i or no edge, with the probabilities p(i, j), p(j, i) and what
// is left of 1; where the two add up to more than 1, they are divided by their sum. Where a result tells of
// feedback, p(i, j) and p(j, i) both count the probability that both hold: an acyclic graph has one of the
// two edges then, either as often, so that the pair is linked as often as the result says. The weight of a
// graph is the product over all pairs, and acyclic graphs are drawn in proportion to it. Being acyclic makes
// edges that close cycles rarer than their pair's probability says; all others keep it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "causcale/export.h"
#include "causcale/graph.h"
#include "causcale/knowledge.h"
#include "causcale/matrix.h"

namespace causcale {

struct SampleOptions {
  int count = 1000;
  std::uint64_t seed = 0;
  int threads = 0;  // 0: all cores; the samples do not depend on it
  // Conditions the probabilities (which usually have it in them already): a forbidden edge is in no sample, a
  // required one in all.
  Knowledge knowledge = {};
  // DiscoverResult::feedback: [n, n], symmetric, that both directions of a pair hold; empty: none does.
  Matrix<double> feedback = {};
};

struct GraphSamples {
  int nodes = 0;
  std::vector<Digraph> graphs;  // acyclic
  // Independent draws of exactly the distribution above. Otherwise some came from Markov chains, and the
  // figures below say how well those mixed; with exact samples they are the best possible.
  bool exact = true;
  std::string method;            // "independent pairs", or of "chain", "enumeration", "rejection" those used
  double acceptance = 1.0;       // of rejection, in its worst component
  int chains = 0;                // independent ones
  int sweeps = 0;                // over all pairs, between two samples of a chain
  double effective = 0.0;        // how many independent samples they are worth, by their weights
  double scale_reduction = 1.0;  // between chains; above 1.1 the chains disagree
};

// Throws InputError when pairs that leave no choice form a cycle, and UsageError for a count below 1 or
// entries that are not probabilities.
CAUSCALE_API GraphSamples sample_graphs(const Matrix<double>& probabilities,
                                        const SampleOptions& options = {});

// Each [n, n], row -> column: the share of the samples with the edge, and with any directed path, i -> ... ->
// j.
CAUSCALE_API Matrix<double> edge_probabilities(const GraphSamples& samples);
CAUSCALE_API Matrix<double> ancestor_probabilities(const GraphSamples& samples, int threads = 0);

struct PathProbability {
  std::vector<int> nodes;  // from the cause to the effect
  double probability;      // that all its edges are there
};
struct PathReport {
  std::vector<PathProbability> paths;  // most probable first; ties by nodes
  double ancestor = 0.0;               // probability of any path
  std::size_t distinct = 0;            // different paths seen
  bool complete = true;                // false: some sample has more paths than were looked at
};
// The `most` likeliest directed paths between two nodes.
CAUSCALE_API PathReport likely_paths(const GraphSamples& samples, int from, int to, std::size_t most = 10);

// That the set is a valid adjustment set for the effect of `treatment` on `outcome` (metrics/adjustment.h has
// the criterion). Throws UsageError when the set holds either of them.
CAUSCALE_API double adjustment_probability(const GraphSamples& samples, int treatment, int outcome,
                                           std::span<const int> set);

// The mean structural Hamming distance between the graph and the samples: what to expect if the
// probabilities are right.
CAUSCALE_API double expected_hamming_distance(const GraphSamples& samples, const Digraph& graph);

// What an experiment would tell. A perfect intervention on v moves the descendants of v and nothing else; so
// which variables move tells graphs apart. Information in bits.
struct SettledPair {
  int a, b;            // a < b
  double doubt;        // entropy of the pair's three possibilities
  double information;  // what seeing whether a and b move says about it
};
struct InterventionGain {
  int variable;
  // The sum of `information` over all pairs: how much doubt about single edges would go. Pairs whose share
  // could be chance in so few samples count nothing.
  double information;
  // Entropy of the set of variables that move; at most the logarithm of the number of samples, which it
  // reaches when every sample has a set of its own.
  double outcome_entropy;
  double movers;                     // expected number of variables that move
  std::vector<SettledPair> settles;  // most information first, at most ten
};
struct InterventionRanking {
  std::vector<InterventionGain> interventions;  // most information first; ties by number
  double doubt = 0.0;                           // entropy of all pairs, summed
};
CAUSCALE_API InterventionRanking rank_interventions(const GraphSamples& samples, int threads = 0);

// What rows without any intervention would tell, if there were enough of them to see every independence: the
// Markov equivalence class of the graph. Which way the edges point that a class leaves open, only
// interventions (or non-linear and non-normal mechanisms) tell.
struct ObservationGain {
  double information = 0.0;          // of the doubt about single pairs, in bits
  double doubt = 0.0;                // entropy of all pairs, summed
  std::vector<SettledPair> settles;  // most information first, at most ten
};
CAUSCALE_API ObservationGain observation_gain(const GraphSamples& samples, int threads = 0);

}  // namespace causcale
