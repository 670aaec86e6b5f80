#include "methods/score/boss_search.h"

#include <algorithm>

#include "base/random.h"
#include "methods/score/ges_search.h"
#include "methods/score/grow_shrink_tree.h"

namespace causcale {
namespace {

class OrderSearch {
 public:
  OrderSearch(const LocalScore& score, const EdgePermissions& permissions, std::uint64_t seed,
              std::uint32_t start)
      : permissions_(permissions) {
    for (int v = 0; v < score.nodes(); ++v) trees_.emplace_back(score, permissions, v);
    random_order(seed, start);
  }

  // True if the node found a better place.
  bool improve(int node) {
    const auto at = static_cast<std::size_t>(std::ranges::find(order_, node) - order_.begin());
    std::vector<int> others = order_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t count = others.size();
    // own[k]: the node before others[k]; before[k], after[k]: others[k] without and with the node before it.
    std::vector<double> own(count + 1), before(count), after(count);
    std::vector<char> available(order_.size(), 0);
    for (std::size_t k = 0; k <= count; ++k) {
      own[k] = trees_[node].score(available);
      if (k == count) break;
      before[k] = trees_[others[k]].score(available);
      available[node] = 1;
      after[k] = trees_[others[k]].score(available);
      available[node] = 0;
      available[others[k]] = 1;
    }
    double total = 0.0;
    for (const double value : after) total += value;
    const auto [low, high] = allowed_places(node, others);
    std::size_t best = at;
    double best_score = 0.0, here = 0.0;
    bool any = false;
    for (std::size_t k = 0; k <= count; ++k) {
      const double value = own[k] + total;
      if (k == at) here = value;
      if (k >= low && k <= high && (!any || value > best_score)) {
        any = true;
        best = k;
        best_score = value;
      }
      if (k < count) total += before[k] - after[k];
    }
    if (!any || best == at || !(best_score > here + kLeastMove)) return false;
    others.insert(others.begin() + static_cast<std::ptrdiff_t>(best), node);
    order_ = std::move(others);
    return true;
  }

  BossResult result(int sweeps) {
    BossResult result;
    result.sweeps = sweeps;
    std::vector<char> available(order_.size(), 0);
    std::vector<Edge> edges;
    for (const int node : order_) {
      for (const int parent : trees_[node].parents(available)) edges.push_back({parent, node});
      result.score += trees_[node].score(available);
      available[node] = 1;
    }
    result.dag = Digraph(static_cast<int>(order_.size()), std::move(edges));
    return result;
  }

  const std::vector<int>& order() const { return order_; }

 private:
  static constexpr double kLeastMove = 1e-7;  // sums over all nodes round more than single gains

  // A random order in which sources of required edges come first.
  void random_order(std::uint64_t seed, std::uint32_t start) {
    const int n = static_cast<int>(trees_.size());
    RandomStream random(seed, start, Purpose::kBossOrder);
    std::vector<int> shuffled(n);
    for (int v = 0; v < n; ++v) shuffled[v] = v;
    for (int k = n - 1; k > 0; --k)
      std::swap(shuffled[k], shuffled[random.below(static_cast<std::uint32_t>(k) + 1)]);
    std::vector<int> waiting(n, 0);
    for (const Edge& edge : permissions_.required) ++waiting[edge.target];
    std::vector<char> placed(n, 0);
    while (static_cast<int>(order_.size()) < n) {
      const auto next = std::ranges::find_if(shuffled, [&](int v) { return !placed[v] && waiting[v] == 0; });
      if (next == shuffled.end()) break;  // knowledge is checked to be acyclic
      placed[*next] = 1;
      order_.push_back(*next);
      for (const Edge& edge : permissions_.required)
        if (edge.source == *next) --waiting[edge.target];
    }
  }

  // The places among the others that keep the node after its required parents and before its required
  // children.
  std::pair<std::size_t, std::size_t> allowed_places(int node, const std::vector<int>& others) const {
    std::size_t low = 0, high = others.size();
    if (permissions_.required.empty()) return {low, high};
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (std::ranges::binary_search(permissions_.required, Edge{others[k], node}))
        low = std::max(low, k + 1);
      if (std::ranges::binary_search(permissions_.required, Edge{node, others[k]})) high = std::min(high, k);
    }
    return {low, high};
  }

  const EdgePermissions& permissions_;
  std::vector<GrowShrinkTree> trees_;
  std::vector<int> order_;
};

}  // namespace

BossResult boss_search(const LocalScore& score, const EdgePermissions& permissions, std::uint64_t seed,
                       std::uint32_t start, const std::function<void(int sweep, double share)>& after_move) {
  OrderSearch search(score, permissions, seed, start);
  int sweeps = 0;
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<int> order = search.order();
    for (std::size_t k = 0; k < order.size(); ++k) {
      moved |= search.improve(order[k]);
      if (after_move) after_move(sweeps, static_cast<double>(k + 1) / static_cast<double>(order.size()));
    }
    ++sweeps;
  }
  return search.result(sweeps);
}

}  // namespace causcale
