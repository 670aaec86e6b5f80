#include "methods/constraint/independence_test.h"

#include <algorithm>

namespace causcale {
namespace {

constexpr std::int64_t kTestsBetweenChecks = 16;

}  // namespace

SubsetSearch IndependenceTest::search(int x, int y, const SubsetRequest& request) const {
  std::vector<std::pair<double, int>> sorted;
  std::vector<int> candidates;
  const auto add = [&](std::span<const int> list) {
    sorted.clear();
    for (const int candidate : list) sorted.emplace_back(-relevance(x, y, candidate), candidate);
    std::ranges::stable_sort(sorted, {}, &std::pair<double, int>::first);
    for (const auto& [rank, candidate] : sorted) candidates.push_back(candidate);
  };
  if (request.size > 0) {
    add(request.fresh);
    add(request.other);
  }
  SubsetSearch result;
  std::vector<int> given(request.size);
  for_each_combination(static_cast<int>(candidates.size()), request.size,
                       static_cast<int>(request.fresh.size()), [&](std::span<const int> chosen) {
                         if (request.limit >= 0 && result.tests >= request.limit) {
                           result.complete = false;
                           return false;
                         }
                         if (request.check && result.tests % kTestsBetweenChecks == kTestsBetweenChecks - 1)
                           (*request.check)();
                         for (int k = 0; k < request.size; ++k) given[k] = candidates[chosen[k]];
                         const double strength = this->strength(x, y, given);
                         ++result.tests;
                         result.weakest = std::min(result.weakest, strength);
                         result.separated = strength <= 1.0;
                         return !result.separated;
                       });
  if (result.separated) {
    result.separator = given;
    std::ranges::sort(result.separator);
  }
  return result;
}

}  // namespace causcale
