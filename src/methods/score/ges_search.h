// Greedy search over equivalence classes by inserting, deleting and turning edges (Chickering 2002; Hauser
// and Buehlmann 2012), for observational and interventional data.
//
// Every operator has a target node, at which its edge ends. The gains of all operators of a target are kept
// and made anew only when the graph has changed around it. Whether a path forbids an operator is asked only
// when it is the best one; it is then set aside together with that path until the path is broken. So each
// step takes the very operator that a search through all of them would find.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "methods/edge_permissions.h"
#include "methods/score/ges_graph.h"
#include "methods/score/local_score.h"

namespace causcale {

struct GesOptions {
  int max_degree = 0;  // most edges at a node; 0 = no limit
  bool turning = false;
  bool repeat = false;  // go through the phases until none finds anything
  int threads = 0;
};

// Smaller gains are rounding.
inline constexpr double kLeastGain = 1e-9;

class EquivalenceSearch {
 public:
  // All references have to outlive the search. It begins with the class of `start`, which has all required
  // edges, or of the required edges alone.
  EquivalenceSearch(const LocalScore& score, const EdgePermissions& permissions, const KeepsDirection& keeps,
                    const GesOptions& options, const Digraph* start = nullptr);

  // `after_step` is called after every step.
  void run(const std::function<void()>& after_step);
  // Deletes edges alone.
  void run_backward(const std::function<void()>& after_step) { run_phase(Phase::kBackward, after_step); }

  const PartialDag& graph() const { return graph_; }
  int steps() const { return steps_; }

  // How much the score falls without the edge: given the target's parents and those of its neighbours that
  // adjoin the source; the mean of both directions where the edge is undirected.
  double edge_gain(int source, int target) const;

 private:
  enum class Phase { kForward, kBackward, kTurning };
  struct Operator {
    double gain;
    int source;
    std::uint64_t clique;  // bits over the target's neighbours: those that become its parents
    // The better one last in a heap's order; ties go to the lower source, then the lower clique.
    bool operator<(const Operator& other) const {
      if (gain != other.gain) return gain < other.gain;
      if (source != other.source) return source > other.source;
      return clique > other.clique;
    }
  };
  struct Blocked {
    Operator op;
    std::vector<int> path;
  };
  struct TargetState {
    std::vector<Operator> heap;
    std::vector<Blocked> blocked;
  };

  bool run_phase(Phase phase, const std::function<void()>& after_step);
  void evaluate(Phase phase, const std::vector<int>& targets);
  std::vector<Operator> insertions(int target) const;
  std::vector<Operator> deletions(int target) const;
  std::vector<Operator> turnings(int target) const;
  std::vector<std::uint64_t> neighbour_masks(int target) const;
  std::uint64_t adjacent_mask(int target, int node) const;
  std::vector<int> members(int target, std::uint64_t clique) const;
  double local(int target, std::vector<int> parents, int with, int without) const;

  std::vector<int> blocking_path(Phase phase, int target, const Operator& op) const;
  // False: there is no such graph, or its score is no better after all. An operator's gain presupposes that
  // equivalent graphs score alike, which knowledge inside a chain component and columns that are sums of
  // others upset; trusting it there would go round in circles.
  bool apply(Phase phase, int target, const Operator& op);
  // What the graph that was accepted last scores, node by node.
  class Total {
   public:
    Total(const LocalScore& score, const Digraph& start);
    // True, and the graph is taken over, if it scores better.
    bool improve(const Digraph& dag);

   private:
    const LocalScore& score_;
    std::vector<std::vector<int>> parents_;
    std::vector<double> local_;
  };
  // Takes the new graph over; gives the targets whose operators have to be made anew.
  std::vector<int> accept(Phase phase, PartialDag graph);

  const LocalScore& score_;
  const EdgePermissions& permissions_;
  const KeepsDirection& keeps_;
  GesOptions options_;
  PartialDag graph_;
  Total total_;
  std::vector<TargetState> states_;
  int steps_ = 0;
};

}  // namespace causcale
