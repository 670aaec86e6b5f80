// The best parents of a node among whatever nodes come before it in an order, found by growing and shrinking,
// and remembered: the grow-shrink trees of Andrews et al. (2023).
#pragma once

#include <memory>
#include <vector>

#include "methods/edge_permissions.h"
#include "methods/score/local_score.h"

namespace causcale {

struct TreeNode;

class GrowShrinkTree {
 public:
  // Both references have to outlive the tree. Required parents are parents whatever is available.
  GrowShrinkTree(const LocalScore& score, const EdgePermissions& permissions, int target);

  // The score of the parents chosen among the nodes with available[node] set. Growing takes the parent of
  // greatest gain until none gains; shrinking gives up the one whose loss gains most until none does.
  double score(const std::vector<char>& available) { return leaf(available).final_score; }
  const std::vector<int>& parents(const std::vector<char>& available) {
    return leaf(available).final_parents;
  }
  std::size_t size() const { return size_; }

 private:
  struct Branch {
    double gain;
    int parent;
    std::unique_ptr<TreeNode> next;
  };
  struct Leaf {
    double final_score = 0.0;
    std::vector<int> final_parents;
  };
  friend struct TreeNode;
  const Leaf& leaf(const std::vector<char>& available);
  void grow(TreeNode& node, const std::vector<int>& parents);
  void shrink(TreeNode& node, std::vector<int> parents);

  const LocalScore& score_;
  const EdgePermissions& permissions_;
  int target_;
  std::vector<int> required_;
  std::shared_ptr<TreeNode> root_;
  std::size_t size_ = 0;
};

}  // namespace causcale
