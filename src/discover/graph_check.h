// Does a graph fit the data? Every acyclic graph claims that variables are independent of others once their
// parents are known. The claims are tested, and so are those of graphs that know nothing: the same graph with
// its variables exchanged at random, and random acyclic graphs with as many edges (after Eulig et al. 2023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causcale/discover.h"

namespace causcale {

struct GraphCheckOptions {
  double alpha = 0.05;        // of the single tests
  std::string test = "auto";  // as the setting "test" of pc
  int permutations = 100;     // of the variables
  int random_graphs = 100;
  std::size_t tests = 1000;  // at most so many claims per graph, drawn at random where there are more
  std::uint64_t seed = 0;
  int threads = 0;
};

// x is independent of y given the parents of x.
struct TestedClaim {
  int x, y;
  std::vector<int> given;
  double strength;  // above 1: violated; infinite: undecidable
};

struct ClaimCounts {
  std::size_t tested = 0;       // claims that could be decided
  std::size_t violated = 0;     // of them
  std::size_t edges = 0;        // edges whose dependence given the other parents could be tested
  std::size_t unsupported = 0;  // of them those that show none

  double violated_share() const { return tested ? static_cast<double>(violated) / tested : 0.0; }
};

enum class CheckVerdict {
  kFits,      // fewer claims are violated than in graphs that know nothing
  kRejected,  // claims are violated as often as in those
  kUnclear,   // too few claims, or violations too rare everywhere to tell
};

struct GraphCheck {
  ClaimCounts graph;
  std::vector<TestedClaim> violations;   // strongest first
  std::vector<Edge> unsupported;         // edges without dependence, sorted
  std::vector<double> permuted, random;  // shares of violated claims, ascending
  // (1 + graphs that violate no more of their claims) / (1 + graphs): small is good.
  double permuted_p = 1.0, random_p = 1.0;
  double same_class = 0.0;  // share of permutations that say the same independences as the graph
  std::size_t rows = 0;     // used
  CheckVerdict verdict = CheckVerdict::kUnclear;
  std::vector<std::string> notes;  // which test and rows
};

// The graph must be acyclic and over the table's columns. Where at least 100 rows are observational, only
// those are used. Throws InputError when the table does not suit the test.
GraphCheck check_graph(const Dataset& dataset, const Digraph& dag, const GraphCheckOptions& options);

std::string verdict_name(CheckVerdict verdict);  // "fits", "rejected", "unclear"

}  // namespace causcale
