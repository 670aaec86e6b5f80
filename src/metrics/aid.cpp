#include "metrics/aid.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "causcale/error.h"
#include "graph/order.h"
#include "graph/reachability.h"
#include "metrics/adjustment.h"

namespace causcale {

namespace {

void require_dags(const Digraph& truth, const Digraph& guess) {
  if (truth.nodes() != guess.nodes())
    throw InputError(
        fmt::format("the true graph has {} nodes, the predicted one {}", truth.nodes(), guess.nodes()));
  if (!is_acyclic(truth)) throw InputError("the true graph has a directed cycle; AID is defined for DAGs");
  if (!is_acyclic(guess))
    throw InputError("the predicted graph has a directed cycle; AID is defined for DAGs");
}

// Adds up mistakes(search, t) over all treatments t; blocks of treatments share their scratch memory.
template <class Mistakes>
AdjustmentDistance sum_over_treatments(const Digraph& truth, int threads, Mistakes mistakes) {
  const std::size_t n = truth.nodes();
  constexpr std::size_t kBlock = 16;
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  const std::size_t workers =
      std::min<std::size_t>(resolve_threads(threads), std::max<std::size_t>(blocks, 1));
  std::vector<std::size_t> counts(blocks, 0);
  // One item per worker, each taking every workers-th block, keeps one scratch per worker.
  parallel_for(workers, threads, [&](std::size_t worker) {
    AdjustmentSearch search(truth);
    for (std::size_t b = worker; b < blocks; b += workers)
      for (std::size_t t = b * kBlock; t < std::min(n, (b + 1) * kBlock); ++t) {
        search.set_treatment(static_cast<int>(t));
        counts[b] += mistakes(search, static_cast<int>(t));
      }
  });
  AdjustmentDistance distance;
  for (std::size_t count : counts) distance.count += count;
  if (n > 1) distance.normalised = static_cast<double>(distance.count) / (static_cast<double>(n) * (n - 1));
  return distance;
}

// Flags of the descendants of one node, itself not among them.
std::vector<std::uint8_t> proper_descendants(const Digraph& graph, int node) {
  auto flags = descendants(graph, std::span(&node, 1));
  flags[node] = 0;
  return flags;
}

}  // namespace

std::size_t ancestral_pairs(const Digraph& dag, std::size_t enough) {
  std::vector<int> seen_from(static_cast<std::size_t>(dag.nodes()), -1), open;
  std::size_t pairs = 0;
  for (int start = 0; start < dag.nodes() && pairs <= enough; ++start) {
    open.assign({start});
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      for (const int child : dag.children(node)) {
        if (seen_from[static_cast<std::size_t>(child)] == start) continue;
        seen_from[static_cast<std::size_t>(child)] = start;
        open.push_back(child);
        ++pairs;
      }
    }
  }
  return pairs;
}

AdjustmentDistance parent_aid(const Digraph& truth, const Digraph& guess, int threads) {
  require_dags(truth, guess);
  return sum_over_treatments(truth, threads, [&](AdjustmentSearch& search, int t) {
    const auto parents = guess.parents(t);
    search.judge_all(parents);
    std::size_t mistakes = 0;
    for (int y = 0; y < truth.nodes(); ++y)
      if (y != t) mistakes += search.is_invalid(y);
    // The guess says that t has no effect on its parents.
    for (int y : parents) {
      mistakes -= search.is_invalid(y);
      mistakes += search.is_descendant(y);
    }
    return mistakes;
  });
}

AdjustmentDistance ancestor_aid(const Digraph& truth, const Digraph& guess, int threads) {
  require_dags(truth, guess);
  return sum_over_treatments(truth, threads, [&](AdjustmentSearch& search, int t) {
    const auto above = ancestors(guess, std::span(&t, 1));
    std::vector<int> set;
    for (int z = 0; z < guess.nodes(); ++z)
      if (above[z] && z != t) set.push_back(z);
    search.judge_all(set);
    const auto affected = proper_descendants(guess, t);
    std::size_t mistakes = 0;
    for (int y = 0; y < truth.nodes(); ++y)
      if (y != t) mistakes += affected[y] ? search.is_invalid(y) : search.is_descendant(y);
    return mistakes;
  });
}

AdjustmentDistance oset_aid(const Digraph& truth, const Digraph& guess, int threads) {
  require_dags(truth, guess);
  return sum_over_treatments(truth, threads, [&](AdjustmentSearch& search, int t) {
    const auto affected = proper_descendants(guess, t);
    std::vector<int> seen_for(guess.nodes(), -1);  // the outcome a node was last met for
    std::vector<int> causal, set;
    std::size_t mistakes = 0;
    for (int y = 0; y < truth.nodes(); ++y) {
      if (y == t) continue;
      if (!affected[y]) {
        mistakes += search.is_descendant(y);
        continue;
      }
      // The o-set: parents of the nodes on directed paths from t to y, other than those nodes and t.
      causal.assign({y});
      set.clear();
      seen_for[y] = seen_for[t] = y;
      while (!causal.empty()) {
        const int node = causal.back();
        causal.pop_back();
        for (int parent : guess.parents(node)) {
          if (seen_for[parent] == y) continue;
          seen_for[parent] = y;
          (affected[parent] ? causal : set).push_back(parent);
        }
      }
      mistakes += !search.is_valid(y, set);
    }
    return mistakes;
  });
}

}  // namespace causcale
