#include "metrics/adjustment.h"

#include "graph/reachability.h"

namespace causcale {

AdjustmentSearch::AdjustmentSearch(const Digraph& dag) : dag_(dag), state_(dag.nodes(), 0) {}

void AdjustmentSearch::set_treatment(int treatment) {
  treatment_ = treatment;
  below_treatment_ = descendants(dag_, std::span(&treatment, 1));
  below_treatment_[treatment] = 0;
}

void AdjustmentSearch::clear() {
  for (int node : touched_) state_[node] = 0;
  touched_.clear();
}

void AdjustmentSearch::mark_ancestors(std::vector<int>& open, Flag mark) {
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (state_[node] & mark) continue;
    flag(node, mark);
    for (int parent : dag_.parents(node))
      if (!(state_[parent] & mark)) open.push_back(parent);
  }
}

void AdjustmentSearch::mark_set(std::span<const int> set) {
  for (int node : set) flag(node, kInSet);
  open_.assign(set.begin(), set.end());
  mark_ancestors(open_, kAboveSet);
}

void AdjustmentSearch::push(int node, Flag arrival) {
  if (node == treatment_ || (state_[node] & arrival)) return;
  flag(node, arrival);
  steps_.push_back({node, arrival});
}

template <bool kOneOutcome>
bool AdjustmentSearch::follow_walks(int outcome) {
  // Every node of an open walk is an ancestor of one of its ends or of the set.
  const auto push_down = [&](int node, Flag arrival) {
    if (!kOneOutcome || (state_[node] & (kAboveSet | kRelevant))) push(node, arrival);
  };
  steps_.clear();
  for (int parent : dag_.parents(treatment_)) push(parent, kFromChild);
  for (int child : dag_.children(treatment_)) push_down(child, kCausal);
  while (!steps_.empty()) {
    const auto [node, arrival] = steps_.back();
    steps_.pop_back();
    const std::uint8_t state = state_[node];
    if (arrival != kCausal) {
      if (kOneOutcome && node == outcome) return true;
      state_[node] |= kInvalid;
    }
    const bool in_set = state & kInSet;
    const bool go_up = arrival == kFromChild ? !in_set : (state & kAboveSet) != 0;
    if (go_up)
      for (int parent : dag_.parents(node)) push(parent, kFromChild);
    if (!in_set)
      for (int child : dag_.children(node)) push_down(child, arrival == kCausal ? kCausal : kFromParent);
  }
  return false;
}

void AdjustmentSearch::judge_all(std::span<const int> set) {
  clear();
  mark_set(set);
  follow_walks<false>(-1);
  // Condition (a): downwards from every node below the treatment that is above the set.
  open_.clear();
  for (int node : touched_)
    if (below_treatment_[node] && (state_[node] & kAboveSet)) open_.push_back(node);
  for (int node : open_) state_[node] |= kInvalid;
  while (!open_.empty()) {
    const int node = open_.back();
    open_.pop_back();
    for (int child : dag_.children(node))
      if (!(state_[child] & kInvalid)) {
        flag(child, kInvalid);
        open_.push_back(child);
      }
  }
}

bool AdjustmentSearch::is_valid(int outcome, std::span<const int> set) {
  clear();
  mark_set(set);
  open_.assign({outcome});
  mark_ancestors(open_, kRelevant);
  for (int node : touched_)
    if (below_treatment_[node] && (state_[node] & kAboveSet) && (state_[node] & kRelevant)) return false;
  open_.assign({treatment_});
  mark_ancestors(open_, kRelevant);
  return !follow_walks<true>(outcome);
}

}  // namespace causcale
