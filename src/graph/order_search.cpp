#include "graph/order_search.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/random.h"
#include "base/shuffle.h"

namespace causcale {
namespace {

constexpr int kLongestBlock = 8;
// Gains below this share of the whole weight are rounding, and would make a search run in circles.
constexpr double kSmallestGain = 1e-12;

class OrderSearch {
 public:
  OrderSearch(std::vector<int> order, std::span<const WeightedEdge> edges, std::int64_t effort)
      : order_(std::move(order)), place_(order_.size()), begin_(order_.size() + 1), left_(effort) {
    const std::size_t n = order_.size();
    for (std::size_t p = 0; p < n; ++p) place_[order_[p]] = static_cast<int>(p);
    double total = 0;
    for (const WeightedEdge& edge : edges) {
      ++begin_[edge.source + 1];
      ++begin_[edge.target + 1];
      total += edge.weight;
    }
    smallest_gain_ = kSmallestGain * total;
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    links_.resize(2 * edges.size());
    std::vector<std::size_t> fill(begin_.begin(), begin_.end() - 1);
    for (const WeightedEdge& edge : edges) {
      links_[fill[edge.source]++] = {edge.target, edge.weight};
      links_[fill[edge.target]++] = {edge.source, -edge.weight};
    }
    pull_.assign(n, 0.0);
    waiting_.assign(n, 0);
  }

  const std::vector<int>& order() const { return order_; }
  bool exhausted() const { return left_ <= 0; }
  double gained() const { return gained_; }

  void consider(int node) {
    if (waiting_[node]) return;
    waiting_[node] = 1;
    queue_.push_back(node);
  }

  // Single nodes until none of those that wait can be improved, then blocks; a block that moves wakes nodes.
  void improve(bool blocks) {
    do {
      for (std::size_t next = 0; next < queue_.size() && !exhausted(); ++next) {
        const int node = queue_[next];
        waiting_[node] = 0;
        move_best(place_[node]);
        if (next > 4 * order_.size()) {
          queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(next) + 1);
          next = static_cast<std::size_t>(-1);
        }
      }
      queue_.clear();
      std::ranges::fill(waiting_, 0);
    } while (blocks && !exhausted() && move_blocks());
  }

  void move(int from, int length, int to) {
    // What changes is the order between the block and everything that it passes.
    const int low = std::min(from, to), high = std::max(from, to) + length;
    const auto first = order_.begin() + from, last = first + length;
    if (to < from)
      std::rotate(order_.begin() + to, first, last);
    else
      std::rotate(first, last, order_.begin() + to + length);
    for (int p = low; p < high; ++p) place_[order_[p]] = p;
    left_ -= high - low;
    for (int p = to; p < to + length; ++p) {
      consider(order_[p]);
      for_links(order_[p], [&](int other, double) {
        if (place_[other] >= low && place_[other] < high) consider(other);
      });
    }
  }

  // Takes an earlier order up again; `gained` is what was gained up to then.
  void restore(const std::vector<int>& order, double gained) {
    order_ = order;
    for (std::size_t p = 0; p < order_.size(); ++p) place_[order_[p]] = static_cast<int>(p);
    gained_ = gained;
  }

  // Moves as an improvement would, whatever it costs.
  void shake(int from, int to) {
    for_links(order_[from], [&](int other, double weight) {
      const int p = place_[other];
      if (to > from && p > from && p <= to) gained_ -= weight;
      if (to < from && p < from && p >= to) gained_ += weight;
    });
    move(from, 1, to);
  }

 private:
  struct Link {
    int other;
    double weight;  // of node -> other less that of other -> node, one direction a link
  };

  template <class Visit>
  void for_links(int node, Visit visit) {
    for (std::size_t k = begin_[node]; k < begin_[node + 1]; ++k) visit(links_[k].other, links_[k].weight);
    left_ -= static_cast<std::int64_t>(begin_[node + 1] - begin_[node]);
  }

  void add_pull(int node) {
    for_links(node, [&](int other, double weight) { pull_[place_[other]] += weight; });
  }

  // pull_[p]: what the block gains by standing before the node at p instead of after it.
  bool move_by_pull(int from, int length) {
    const int n = static_cast<int>(order_.size());
    double best = smallest_gain_, gain = 0;
    int target = from;
    for (int p = from - 1; p >= 0; --p) {
      gain += pull_[p];
      if (gain > best) {
        best = gain;
        target = p;
      }
    }
    gain = 0;
    for (int p = from + length; p < n; ++p) {
      gain -= pull_[p];
      if (gain > best) {
        best = gain;
        target = p - length + 1;
      }
    }
    left_ -= n;
    if (target == from) return false;
    clear_pull();
    move(from, length, target);
    gained_ += best;
    return true;
  }

  void clear_pull() { std::ranges::fill(pull_, 0.0); }

  bool move_best(int from) {
    clear_pull();
    add_pull(order_[from]);
    return move_by_pull(from, 1);
  }

  bool move_blocks() {
    const int n = static_cast<int>(order_.size());
    bool moved = false;
    for (int from = 0; from < n && !exhausted(); ++from) {
      clear_pull();
      add_pull(order_[from]);
      for (int length = 2; length <= kLongestBlock && from + length < n; ++length) {
        add_pull(order_[from + length - 1]);
        if (move_by_pull(from, length)) {
          moved = true;
          break;
        }
      }
    }
    return moved;
  }

  std::vector<int> order_;
  std::vector<int> place_;
  std::vector<std::size_t> begin_;
  std::vector<Link> links_;
  std::vector<double> pull_;  // by place
  std::vector<int> queue_;
  std::vector<char> waiting_;
  std::int64_t left_;
  double gained_ = 0.0;
  double smallest_gain_ = 0.0;
};

}  // namespace

std::vector<int> search_order(std::vector<int> order, std::span<const WeightedEdge> edges,
                              std::int64_t effort, std::uint64_t seed, std::uint32_t stream) {
  const int n = static_cast<int>(order.size());
  if (n < 2) return order;
  OrderSearch search(std::move(order), edges, effort);
  for (int p = 0; p < n; ++p) search.consider(search.order()[p]);
  search.improve(true);

  RandomStream random(seed, 0, Purpose::kOrderShake, stream);
  std::vector<int> best = search.order();
  double best_gained = search.gained();
  for (int round = 0; !search.exhausted(); ++round) {
    // A few nodes thrown some way, mostly near; every now and then the dear search for blocks follows.
    const int moves = 2 + static_cast<int>(random.below(4));
    const int reach = random.coin(0.8) ? std::max(2, std::min(n - 1, 20)) : n - 1;
    for (int k = 0; k < moves; ++k) {
      const int from = static_cast<int>(random.below(n));
      const int to = std::clamp(from - reach + static_cast<int>(random.below(2 * reach + 1)), 0, n - 1);
      if (to != from) search.shake(from, to);
    }
    search.improve(round % 16 == 15);
    if (search.gained() >= best_gained) {
      best = search.order();
      best_gained = search.gained();
    } else {
      search.restore(best, best_gained);
    }
  }
  return best;
}

std::vector<int> order_by_surplus(int nodes, std::span<const WeightedEdge> edges) {
  std::vector<std::vector<std::pair<int, double>>> out(nodes), in(nodes);
  std::vector<double> surplus(nodes, 0.0);
  std::vector<int> outgoing(nodes, 0), incoming(nodes, 0);
  for (const WeightedEdge& edge : edges) {
    out[edge.source].emplace_back(edge.target, edge.weight);
    in[edge.target].emplace_back(edge.source, edge.weight);
    surplus[edge.source] += edge.weight;
    surplus[edge.target] -= edge.weight;
    ++outgoing[edge.source];
    ++incoming[edge.target];
  }
  std::set<std::pair<double, int>> ranking;  // ascending; the last one goes to the front
  for (int v = 0; v < nodes; ++v) ranking.emplace(surplus[v], -v);
  std::vector<char> placed(nodes, 0);
  std::vector<int> sources, sinks, front, back;
  for (int v = 0; v < nodes; ++v) {
    if (outgoing[v] == 0) sinks.push_back(v);
    if (incoming[v] == 0) sources.push_back(v);
  }
  const auto remove = [&](int node) {
    placed[node] = 1;
    ranking.erase({surplus[node], -node});
    const auto shift = [&](int other, double by) {
      ranking.erase({surplus[other], -other});
      surplus[other] += by;
      ranking.emplace(surplus[other], -other);
    };
    for (const auto& [other, weight] : out[node])
      if (!placed[other]) {
        shift(other, weight);
        if (--incoming[other] == 0) sources.push_back(other);
      }
    for (const auto& [other, weight] : in[node])
      if (!placed[other]) {
        shift(other, -weight);
        if (--outgoing[other] == 0) sinks.push_back(other);
      }
  };
  const auto take = [&](std::vector<int>& from, std::vector<int>& to) {
    const int node = from.back();
    from.pop_back();
    if (placed[node]) return;
    to.push_back(node);
    remove(node);
  };
  while (!ranking.empty()) {
    if (!sinks.empty()) {
      take(sinks, back);
    } else if (!sources.empty()) {
      take(sources, front);
    } else {
      const int node = -ranking.rbegin()->second;
      front.push_back(node);
      remove(node);
    }
  }
  front.insert(front.end(), back.rbegin(), back.rend());
  return front;
}

std::vector<int> random_order(int nodes, std::uint64_t seed, std::uint32_t stream) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(seed, 0, Purpose::kOrderSearch, stream);
  shuffle(order, random);
  return order;
}

}  // namespace causcale
