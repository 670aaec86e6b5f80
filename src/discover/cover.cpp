#include "discover/cover.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>

namespace causcale {
namespace {

struct Link {
  int to = 0, rank = 0;  // place in the list of either end, the better one
};

// Each column's likely neighbours and those that list it among theirs, the likeliest first.
std::vector<std::vector<Link>> links_of(const Neighbours& neighbours) {
  std::vector<std::vector<Link>> links(neighbours.columns);
  for (std::size_t v = 0; v < neighbours.columns; ++v) {
    const auto near = neighbours.of(v);
    for (std::size_t k = 0; k < near.size(); ++k) {
      links[v].push_back({near[k], static_cast<int>(k)});
      links[static_cast<std::size_t>(near[k])].push_back({static_cast<int>(v), static_cast<int>(k)});
    }
  }
  for (std::vector<Link>& own : links) {
    std::ranges::sort(own, {}, [](const Link& link) { return std::pair(link.to, link.rank); });
    own.erase(std::unique(own.begin(), own.end(), [](const Link& a, const Link& b) { return a.to == b.to; }),
              own.end());
    std::ranges::sort(own, {}, [](const Link& link) { return std::pair(link.rank, link.to); });
  }
  return links;
}

// Columns that many others list first: what they are joined to is best kept together.
std::vector<int> seeds_of(const std::vector<std::vector<Link>>& links) {
  std::vector<int> order(links.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{},
                           [&](int v) { return links[static_cast<std::size_t>(v)].size(); });
  return order;
}

// Those that are likeliest joined to any of the core; of several equally likely ones those that most of it
// lists.
void add_neighbours(const std::vector<std::vector<Link>>& links, std::size_t size, Block& block) {
  struct Candidate {
    int rank = std::numeric_limits<int>::max();
    double support = 0.0;
  };
  std::vector<Candidate> candidates(links.size());
  std::vector<int> found;
  for (std::size_t k = 0; k < block.core; ++k)
    for (const Link& link : links[static_cast<std::size_t>(block.members[k])]) {
      Candidate& candidate = candidates[static_cast<std::size_t>(link.to)];
      if (candidate.rank == std::numeric_limits<int>::max()) found.push_back(link.to);
      candidate.rank = std::min(candidate.rank, link.rank);
      candidate.support += 1.0 / (1 + link.rank);
    }
  for (std::size_t k = 0; k < block.core; ++k) std::erase(found, block.members[k]);
  std::ranges::sort(found, {}, [&](int v) {
    const Candidate& candidate = candidates[static_cast<std::size_t>(v)];
    return std::tuple(candidate.rank, -candidate.support, v);
  });
  for (std::size_t k = 0; k < found.size() && block.members.size() < size; ++k)
    block.members.push_back(found[k]);
}

}  // namespace

std::vector<Block> cover_columns(const Neighbours& neighbours, std::size_t size, std::size_t core) {
  const std::vector<std::vector<Link>> links = links_of(neighbours);
  const std::vector<int> seeds = seeds_of(links);
  std::vector<char> taken(links.size(), 0);
  std::vector<Block> blocks;
  std::size_t next_seed = 0;
  while (true) {
    while (next_seed < seeds.size() && taken[static_cast<std::size_t>(seeds[next_seed])]) ++next_seed;
    if (next_seed == seeds.size()) break;
    Block block;
    using Waiting = std::pair<int, int>;  // rank, column
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    const auto add = [&](int v) {
      taken[static_cast<std::size_t>(v)] = 1;
      block.members.push_back(v);
      for (const Link& link : links[static_cast<std::size_t>(v)])
        if (!taken[static_cast<std::size_t>(link.to)]) waiting.push({link.rank, link.to});
    };
    add(seeds[next_seed]);
    while (block.members.size() < core) {
      while (!waiting.empty() && taken[static_cast<std::size_t>(waiting.top().second)]) waiting.pop();
      if (waiting.empty()) {
        // Nothing near is left: what follows has nothing to do with these, and shares the block to save one.
        while (next_seed < seeds.size() && taken[static_cast<std::size_t>(seeds[next_seed])]) ++next_seed;
        if (next_seed == seeds.size()) break;
        add(seeds[next_seed]);
        continue;
      }
      add(waiting.top().second);
    }
    block.core = block.members.size();
    add_neighbours(links, size, block);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace causcale
