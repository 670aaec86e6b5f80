#include "methods/score/grow_shrink_tree.h"

#include <algorithm>

#include "methods/score/ges_search.h"

namespace causcale {

struct TreeNode {
  double score = 0.0;  // of the parents on the way here
  bool grown = false, shrunk = false;
  std::vector<GrowShrinkTree::Branch> branches;  // by falling gain
  GrowShrinkTree::Leaf leaf;
};

GrowShrinkTree::GrowShrinkTree(const LocalScore& score, const EdgePermissions& permissions, int target)
    : score_(score), permissions_(permissions), target_(target), root_(std::make_shared<TreeNode>()) {
  for (const Edge& edge : permissions.required)
    if (edge.target == target) required_.push_back(edge.source);
  root_->score = score.local(target, required_);
}

const GrowShrinkTree::Leaf& GrowShrinkTree::leaf(const std::vector<char>& available) {
  TreeNode* node = root_.get();
  std::vector<int> parents = required_;
  while (true) {
    if (!node->grown) grow(*node, parents);
    const auto next = std::ranges::find_if(
        node->branches, [&](const Branch& branch) { return available[branch.parent] != 0; });
    if (next == node->branches.end()) break;
    if (!next->next) {
      next->next = std::make_unique<TreeNode>();
      next->next->score = node->score + next->gain;
      ++size_;
    }
    parents.push_back(next->parent);
    node = next->next.get();
  }
  if (!node->shrunk) shrink(*node, std::move(parents));
  return node->leaf;
}

void GrowShrinkTree::grow(TreeNode& node, const std::vector<int>& parents) {
  node.grown = true;
  if (score_.constant(target_) || static_cast<double>(parents.size()) > score_.most_parents(target_)) return;
  const auto gains = score_.gains(target_);
  for (const int parent : parents) gains->push(parent);
  for (int v = 0; v < score_.nodes(); ++v) {
    if (!permissions_.allowed(v, target_) || score_.constant(v)) continue;
    if (std::ranges::find(parents, v) != parents.end()) continue;
    const double gain = gains->gain(v);
    if (gain > kLeastGain) node.branches.push_back({gain, v, nullptr});
  }
  std::ranges::stable_sort(node.branches, [](const Branch& a, const Branch& b) { return a.gain > b.gain; });
}

void GrowShrinkTree::shrink(TreeNode& node, std::vector<int> parents) {
  node.shrunk = true;
  double best = node.score;
  while (parents.size() > required_.size()) {
    std::size_t worst = parents.size();
    double without = best + kLeastGain;
    for (std::size_t k = required_.size(); k < parents.size(); ++k) {
      std::vector<int> fewer = parents;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (const double value = score_.local(target_, fewer); value > without) {
        without = value;
        worst = k;
      }
    }
    if (worst == parents.size()) break;
    parents.erase(parents.begin() + static_cast<std::ptrdiff_t>(worst));
    best = without;
  }
  std::ranges::sort(parents);
  node.leaf = {best, std::move(parents)};
}

}  // namespace causcale
