#include "methods/constraint/independence_test.h"

#include <algorithm>

namespace causcale {

SubsetSearch IndependenceTest::search(int x, int y, const SubsetRequest& request) const {
  std::vector<int> candidates(request.fresh.begin(), request.fresh.end());
  candidates.insert(candidates.end(), request.other.begin(), request.other.end());
  SubsetSearch result;
  std::vector<int> given(request.size);
  for_each_combination(static_cast<int>(candidates.size()), request.size,
                       static_cast<int>(request.fresh.size()), [&](std::span<const int> chosen) {
                         if (request.limit >= 0 && result.tests >= request.limit) {
                           result.complete = false;
                           return false;
                         }
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
