// Is a set of variables a valid adjustment set for an effect in a DAG?
//
// The criterion (Shpitser et al. 2010, Perkovic et al. 2018) for treatment t, outcome y and set Z:
//  (a) no node of Z descends from a node (other than t) on a directed path from t to y, and
//  (b) Z blocks every path from t to y that is not directed from t to y.
// Both are searched for along walks that never return to t. Condition (a) fails for exactly the descendants
// of those nodes below t that have a node of Z among their descendants. For (b), a walk is extended while it
// is open given Z: past a node of Z only as a collider, past a collider only if Z holds it or a descendant. A
// walk that starts t -> v, is later turned by a collider and ends in a descendant of v is no proper
// non-causal walk, but it is found only where (a) fails anyway, so the union of both conditions is exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Holds the scratch memory of the searches; make one per thread. The graph has to outlive it.
class AdjustmentSearch {
 public:
  explicit AdjustmentSearch(const Digraph& dag);

  // Starts work on a treatment: finds its descendants.
  void set_treatment(int treatment);
  bool is_descendant(int node) const { return below_treatment_[node]; }  // the treatment itself is none

  // Afterwards is_invalid(y) tells for every outcome y outside Z whether Z fails. Linear in the graph.
  void judge_all(std::span<const int> set);
  bool is_invalid(int outcome) const { return state_[outcome] & kInvalid; }

  // The same for one outcome, looking only at ancestors of treatment, outcome and set.
  bool is_valid(int outcome, std::span<const int> set);

 private:
  enum Flag : std::uint8_t {
    kInSet = 1,
    kAboveSet = 2,     // in the set or an ancestor of it
    kRelevant = 4,     // ancestor of treatment or outcome
    kCausal = 8,       // reached by an open directed walk from the treatment
    kFromParent = 16,  // reached by an open walk that is not directed, whose last step goes down
    kFromChild = 32,   // ... goes up
    kInvalid = 64,
  };
  struct Step {
    int node;
    Flag arrival;
  };

  void clear();
  void flag(int node, Flag flag) {
    if (!state_[node]) touched_.push_back(node);
    state_[node] |= flag;
  }
  void mark_set(std::span<const int> set);
  void mark_ancestors(std::vector<int>& open, Flag mark);
  void push(int node, Flag arrival);
  // Follows open walks; with an outcome it stops there and returns true, and stays within relevant nodes.
  template <bool kOneOutcome>
  bool follow_walks(int outcome);

  const Digraph& dag_;
  int treatment_ = -1;
  std::vector<std::uint8_t> below_treatment_;
  std::vector<std::uint8_t> state_;
  std::vector<int> touched_;  // nodes with any flag
  std::vector<int> open_;
  std::vector<Step> steps_;
};

}  // namespace causcale
