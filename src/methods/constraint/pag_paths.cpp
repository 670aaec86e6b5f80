// The search for uncovered paths that rules R5, R9 and R10 need.
#include <algorithm>
#include <unordered_map>

#include "methods/constraint/pag_rules.h"

namespace causcale {
namespace {

using Step = std::uint64_t;
Step step(int from, int to) {
  return static_cast<Step>(from) << 32 | static_cast<std::uint32_t>(to);
}

bool repeats(std::vector<int> path) {
  std::ranges::sort(path);
  return std::ranges::adjacent_find(path) != path.end();
}

}  // namespace

std::vector<int> PagRules::next_on_path(int first, int before, int at, int last, PathKind kind) const {
  std::vector<int> result;
  for (const int next : skeleton_.neighbours[at]) {
    if (next == before || next == first || !apart(before, next)) continue;
    if (!(kind == PathKind::kCircle ? circle_edge(at, next) : possibly_directed(at, next))) continue;
    if (next == last && kind == PathKind::kCircle && !apart(at, first)) continue;
    result.push_back(next);
  }
  return result;
}

std::vector<int> PagRules::uncovered_path(int first, int second, int last, PathKind kind) const {
  // Breadth first over steps finds the shortest walk. No walk: no path. A walk without repetition: a path.
  // Only in between the paths themselves have to be gone through.
  std::unordered_map<Step, Step> came_from{{step(first, second), step(first, second)}};
  std::vector<Step> open{step(first, second)};
  for (std::size_t k = 0; k < open.size(); ++k) {
    const int before = static_cast<int>(open[k] >> 32), at = static_cast<int>(open[k] & 0xffffffffu);
    for (const int next : next_on_path(first, before, at, last, kind)) {
      if (!came_from.emplace(step(at, next), open[k]).second) continue;
      if (next != last) {
        open.push_back(step(at, next));
        continue;
      }
      std::vector<int> path{last};
      for (Step s = step(at, next); s != step(first, second); s = came_from[s])
        path.push_back(static_cast<int>(s >> 32));
      path.push_back(first);
      std::ranges::reverse(path);
      return repeats(path) ? simple_uncovered_path({first, second}, last, kind) : path;
    }
  }
  return {};
}

std::vector<int> PagRules::simple_uncovered_path(std::vector<int> path, int last, PathKind kind) const {
  // A walk that must cross itself is a rarity of inconsistent data; a bound keeps it from taking for ever.
  constexpr int kMostSteps = 200000;
  std::vector<std::vector<int>> choices{
      next_on_path(path[0], path[path.size() - 2], path.back(), last, kind)};
  for (int steps = 0; !choices.empty() && steps < kMostSteps; ++steps) {
    if (choices.back().empty()) {
      choices.pop_back();
      path.pop_back();
      continue;
    }
    const int next = choices.back().back();
    choices.back().pop_back();
    if (std::ranges::find(path, next) != path.end()) continue;
    path.push_back(next);
    if (next == last) return path;
    choices.push_back(next_on_path(path[0], path[path.size() - 2], next, last, kind));
  }
  return {};
}

}  // namespace causcale
