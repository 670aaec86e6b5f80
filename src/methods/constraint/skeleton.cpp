#include "methods/constraint/skeleton.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/parallel.h"

namespace causcale {

std::uint64_t SeparatingSets::key(int x, int y) {
  return static_cast<std::uint64_t>(std::min(x, y)) << 32 | static_cast<std::uint32_t>(std::max(x, y));
}

void SeparatingSets::put(int x, int y, std::vector<int> set) {
  if (set.empty())
    sets_.erase(key(x, y));
  else
    sets_[key(x, y)] = std::move(set);
}

std::span<const int> SeparatingSets::of(int x, int y) const {
  const auto found = sets_.find(key(x, y));
  return found == sets_.end() ? std::span<const int>() : std::span<const int>(found->second);
}

bool SeparatingSets::contains(int x, int y, int z) const {
  return std::ranges::binary_search(of(x, y), z);
}

Skeleton::Skeleton(int nodes)
    : neighbours(nodes),
      joined(nodes, nodes, 0),
      weakest(nodes, nodes, std::numeric_limits<double>::infinity()) {}

std::size_t Skeleton::edge_count() const {
  std::size_t ends = 0;
  for (const auto& list : neighbours) ends += list.size();
  return ends / 2;
}

void Skeleton::remove(int x, int y) {
  joined(x, y) = joined(y, x) = 0;
  std::erase(neighbours[x], y);
  std::erase(neighbours[y], x);
}

void Skeleton::note_strength(int x, int y, double strength) {
  weakest(x, y) = weakest(y, x) = std::min(weakest(x, y), strength);
}

namespace {

// Pairs without any condition; also fills the lists of neighbours.
void join_dependent_pairs(const IndependenceTest& test, const EdgeRules& rules, int threads,
                          Skeleton& skeleton) {
  const int nodes = skeleton.nodes();
  std::atomic<std::int64_t> tests{0};
  parallel_for(nodes, threads, [&](std::size_t row) {
    const int x = static_cast<int>(row);
    std::int64_t made = 0;
    for (int y = x + 1; y < nodes; ++y) {
      if (rules.separates(x, y)) {
        skeleton.weakest(x, y) = 0.0;
        continue;
      }
      const double strength = test.strength(x, y, {});
      ++made;
      skeleton.weakest(x, y) = strength;
      skeleton.joined(x, y) = strength > 1.0 || rules.demands_either(x, y);
    }
    tests += made;
  });
  skeleton.tests += tests;
  for (int x = 0; x < nodes; ++x)
    for (int y = 0; y < nodes; ++y) {
      if (y < x) {
        skeleton.joined(x, y) = skeleton.joined(y, x);
        skeleton.weakest(x, y) = skeleton.weakest(y, x);
      }
      if (skeleton.joined(x, y)) skeleton.neighbours[x].push_back(y);
    }
}

class LevelSearch {
 public:
  LevelSearch(const IndependenceTest& test, const EdgeRules& rules, const SkeletonOptions& options,
              const Skeleton& skeleton)
      : test_(test), rules_(rules), options_(options), skeleton_(skeleton) {}

  // Sets from the neighbours of x, then those from the neighbours of y that were not among the first.
  SubsetSearch separate(int x, int y, int size) const {
    SubsetRequest request;
    request.size = size;
    request.check = options_.interruption();
    const std::vector<int> of_x = pool(x, y);
    request.fresh = of_x;
    SubsetSearch result = test_.search(x, y, request);
    if (result.separated) return result;
    std::vector<int> only_y, both;
    for (const int z : pool(y, x)) (std::ranges::binary_search(of_x, z) ? both : only_y).push_back(z);
    request.fresh = only_y;
    request.other = both;
    SubsetSearch second = test_.search(x, y, request);
    second.tests += result.tests;
    second.weakest = std::min(second.weakest, result.weakest);
    return second;
  }

  bool has_enough(int x, int y, int size) const {
    return static_cast<int>(std::max(skeleton_.neighbours[x].size(), skeleton_.neighbours[y].size())) > size;
  }

 private:
  std::vector<int> pool(int x, int y) const {
    std::vector<int> result;
    for (const int z : skeleton_.neighbours[x]) {
      if (z == y) continue;
      if (options_.pool == SeparatorPool::kPossibleParents ? rules_.forbids(z, x)
                                                           : rules_.after_both(z, x, y))
        continue;
      result.push_back(z);
    }
    return result;
  }

  const IndependenceTest& test_;
  const EdgeRules& rules_;
  const SkeletonOptions& options_;
  const Skeleton& skeleton_;
};

double choices(std::size_t from, int size) {
  double count = 1.0;
  for (int k = 0; k < size; ++k) count *= (static_cast<double>(from) - k) / (k + 1.0);
  return std::max(0.0, count);
}

// Of these pairs, if no test finds any independent.
double most_tests(const Skeleton& skeleton, const std::vector<Edge>& pairs, int size) {
  double count = 0.0;
  for (const auto [x, y] : pairs)
    for (const int end : {x, y}) count += choices(skeleton.neighbours[end].size() - 1, size);
  return count;
}

void explain_forbidden_pairs(const EdgeRules& rules, const LevelSearch& search, const IndependenceTest& test,
                             int largest, Skeleton& skeleton) {
  for (int x = 0; x < skeleton.nodes(); ++x)
    for (int y = x + 1; y < skeleton.nodes(); ++y) {
      if (!rules.separates(x, y)) continue;
      const bool common =
          std::ranges::any_of(skeleton.neighbours[x], [&](int z) { return skeleton.adjacent(y, z); });
      if (!common || test.independent(x, y, {})) continue;
      SubsetSearch found;
      for (int size = 1; size <= largest && search.has_enough(x, y, size - 1) && !found.separated; ++size) {
        found = search.separate(x, y, size);
        skeleton.tests += found.tests;
      }
      if (found.separated)
        skeleton.separators.put(x, y, std::move(found.separator));
      else
        skeleton.unexplained.push_back({x, y});
    }
}

}  // namespace

Skeleton stable_skeleton(const IndependenceTest& test, const EdgeRules& rules,
                         const SkeletonOptions& options) {
  Skeleton skeleton(test.variables());
  join_dependent_pairs(test, rules, options.threads, skeleton);
  const int largest = options.max_conditioning < 0 ? test.largest_set()
                                                   : std::min(options.max_conditioning, test.largest_set());
  const LevelSearch search(test, rules, options, skeleton);
  constexpr std::size_t kPairsAtOnce = 8;  // small enough to keep all threads busy to the end of a size
  for (int size = 1; size <= largest; ++size) {
    std::vector<Edge> pairs;
    for (int x = 0; x < skeleton.nodes(); ++x)
      for (const int y : skeleton.neighbours[x])
        if (x < y && !rules.demands_either(x, y) && search.has_enough(x, y, size)) pairs.push_back({x, y});
    if (pairs.empty()) break;
    if (options.max_tests > 0 && size > 1 &&
        static_cast<double>(skeleton.tests) + most_tests(skeleton, pairs, size) >
            static_cast<double>(options.max_tests))
      break;
    const std::size_t edges = skeleton.edge_count();
    const std::size_t blocks = (pairs.size() + kPairsAtOnce - 1) / kPairsAtOnce;
    const auto caller = std::this_thread::get_id();
    std::atomic<std::size_t> done{0};
    std::vector<SubsetSearch> found(pairs.size());
    parallel_for(blocks, options.threads, [&](std::size_t block) {
      if (options.check) options.check();
      const std::size_t before = done++;
      if (options.progress && std::this_thread::get_id() == caller) {
        const double levels = size - 1 + static_cast<double>(before) / static_cast<double>(blocks);
        options.progress(size, edges, levels / (levels + 1.0));
      }
      const std::size_t end = std::min(pairs.size(), (block + 1) * kPairsAtOnce);
      for (std::size_t k = block * kPairsAtOnce; k < end; ++k)
        found[k] = search.separate(pairs[k].source, pairs[k].target, size);
    });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto [x, y] = pairs[k];
      skeleton.tests += found[k].tests;
      if (found[k].tests > 0) skeleton.deepest = size;
      skeleton.note_strength(x, y, found[k].weakest);
      if (!found[k].separated) continue;
      skeleton.separators.put(x, y, std::move(found[k].separator));
      skeleton.remove(x, y);
    }
  }
  explain_forbidden_pairs(rules, search, test, std::min(largest, std::max(1, skeleton.deepest)), skeleton);
  return skeleton;
}

}  // namespace causcale
