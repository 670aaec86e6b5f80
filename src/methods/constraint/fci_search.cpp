#include "methods/constraint/fci_search.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "causcale/graph.h"
#include "methods/constraint/pag_rules.h"

namespace causcale {
namespace {

void orient_colliders(const Skeleton& skeleton, MixedGraph& graph) {
  for (int z = 0; z < skeleton.nodes(); ++z)
    for (const int x : skeleton.neighbours[z])
      for (const int y : skeleton.neighbours[z])
        if (x < y && !skeleton.adjacent(x, y) && skeleton.explained(x, y) &&
            !skeleton.separators.contains(x, y, z))
          orient_collider(graph, x, z, y);
}

// The search among the possible-d-sep sets of both ends of a pair, small conditioning sets first.
class PairSearch {
 public:
  PairSearch(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options,
             const Skeleton& skeleton, const std::vector<std::vector<int>>& pools)
      : test_(test), rules_(rules), options_(options), skeleton_(skeleton), pools_(pools) {}

  SubsetSearch separate(int x, int y) const {
    // The first search tried all sets of neighbours of x; with them, this one all sets of its first list.
    const Lists of_x = lists(x, y, skeleton_.neighbours[x]), of_y = lists(y, x, of_x.all());
    const int limit_on_size = options_.skeleton.max_conditioning;
    int largest = std::max(of_x.size(), of_y.size());
    if (limit_on_size >= 0) largest = std::min(largest, limit_on_size);
    largest = std::min(largest, test_.largest_set());
    SubsetSearch total;
    for (int size = 1; size <= largest; ++size)
      for (const Lists* lists : {&of_x, &of_y}) {
        SubsetRequest request{lists->fresh, lists->other, size, -1, options_.skeleton.interruption()};
        if (options_.tests_per_pair >= 0) request.limit = options_.tests_per_pair - total.tests;
        SubsetSearch found = test_.search(x, y, request);
        total.tests += found.tests;
        total.weakest = std::min(total.weakest, found.weakest);
        if (found.separated) {
          total.separated = true;
          total.separator = std::move(found.separator);
          return total;
        }
        if (!found.complete) {
          total.complete = false;
          return total;
        }
      }
    return total;
  }

 private:
  // Every set takes a fresh member, the sets of the others having been tried already.
  struct Lists {
    std::vector<int> fresh, other;
    int size() const { return static_cast<int>(fresh.empty() ? 0 : fresh.size() + other.size()); }
    std::vector<int> all() const {
      std::vector<int> result = fresh;
      result.insert(result.end(), other.begin(), other.end());
      std::ranges::sort(result);
      return result;
    }
  };
  Lists lists(int x, int y, const std::vector<int>& tried) const {
    Lists result;
    for (const int v : pools_[x]) {
      if (v == y || rules_.after_both(v, x, y)) continue;
      (std::ranges::binary_search(tried, v) ? result.other : result.fresh).push_back(v);
    }
    return result;
  }

  const IndependenceTest& test_;
  const EdgeRules& rules_;
  const FciOptions& options_;
  const Skeleton& skeleton_;
  const std::vector<std::vector<int>>& pools_;
};

void search_possible_d_sep(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options,
                           FciResult& result) {
  Skeleton& skeleton = result.skeleton;
  const int nodes = skeleton.nodes(), threads = options.skeleton.threads;
  MixedGraph graph = circle_graph(skeleton, rules);
  orient_colliders(skeleton, graph);
  std::vector<std::vector<int>> pools(nodes);
  parallel_for(nodes, threads, [&](std::size_t x) {
    pools[x] = possible_d_sep(skeleton, graph, static_cast<int>(x), options.max_path);
  });
  for (const auto& pool : pools)
    result.largest_possible_d_sep = std::max(result.largest_possible_d_sep, pool.size());

  std::vector<Edge> pairs;
  for (int x = 0; x < nodes; ++x)
    for (const int y : skeleton.neighbours[x])
      if (x < y && !rules.demands_either(x, y)) pairs.push_back({x, y});
  const PairSearch search(test, rules, options, skeleton, pools);
  std::vector<SubsetSearch> found(pairs.size());
  constexpr std::size_t kPairsBetweenReports = 256;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kPairsBetweenReports) {
    if (options.progress) options.progress(static_cast<double>(begin) / static_cast<double>(pairs.size()));
    parallel_for(std::min(kPairsBetweenReports, pairs.size() - begin), threads, [&](std::size_t k) {
      found[begin + k] = search.separate(pairs[begin + k].source, pairs[begin + k].target);
    });
  }
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [x, y] = pairs[k];
    result.possible_d_sep_tests += found[k].tests;
    skeleton.note_strength(x, y, found[k].weakest);
    result.incomplete_pairs += !found[k].complete;
    if (!found[k].separated) continue;
    ++result.removed_by_possible_d_sep;
    skeleton.separators.put(x, y, std::move(found[k].separator));
    skeleton.remove(x, y);
  }
}

}  // namespace

std::vector<int> possible_d_sep(const Skeleton& skeleton, const MixedGraph& graph, int x, int max_path) {
  // Breadth first over steps u -> v, told apart by their place in the lists of neighbours.
  struct Reached {
    int from, at, length;
  };
  std::vector<std::vector<char>> seen(skeleton.nodes());
  std::vector<char> member(skeleton.nodes(), 0);
  std::vector<Reached> open;
  const auto visit = [&](int from, std::size_t place, int length) {
    if (seen[from].empty()) seen[from].resize(skeleton.neighbours[from].size());
    if (seen[from][place]) return;
    seen[from][place] = 1;
    const int at = skeleton.neighbours[from][place];
    member[at] = 1;
    open.push_back({from, at, length});
  };
  if (max_path != 0)
    for (std::size_t k = 0; k < skeleton.neighbours[x].size(); ++k) visit(x, k, 1);
  for (std::size_t k = 0; k < open.size(); ++k) {
    const auto [from, at, length] = open[k];
    if (max_path >= 0 && length >= max_path) continue;
    for (std::size_t place = 0; place < skeleton.neighbours[at].size(); ++place) {
      const int next = skeleton.neighbours[at][place];
      if (next == from || next == x) continue;
      const bool collider = graph.mark(from, at) == Mark::kArrow && graph.mark(next, at) == Mark::kArrow;
      if (collider || skeleton.adjacent(from, next)) visit(at, place, length + 1);
    }
  }
  std::vector<int> result;
  for (int v = 0; v < skeleton.nodes(); ++v)
    if (member[v]) result.push_back(v);
  return result;
}

FciResult fci_search(const IndependenceTest& test, const EdgeRules& rules, const FciOptions& options) {
  FciResult result{stable_skeleton(test, rules, options.skeleton), {}};
  if (options.possible_d_sep) search_possible_d_sep(test, rules, options, result);
  result.graph = circle_graph(result.skeleton, rules);
  orient_colliders(result.skeleton, result.graph);
  PagRules(result.skeleton, result.graph).run();
  return result;
}

}  // namespace causcale
