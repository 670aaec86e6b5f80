// Conditional independence, asked by the constraint-based methods, and answered from data or by an oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace causcale {

// What a search through conditioning sets found.
struct SubsetSearch {
  bool separated = false;
  std::vector<int> separator;  // ascending; when separated
  // The least strength of dependence among the sets tried; infinite when no test was possible.
  double weakest = std::numeric_limits<double>::infinity();
  std::int64_t tests = 0;
  bool complete = true;  // false: ended by the limit on tests
};

// Which conditioning sets to try.
struct SubsetRequest {
  // Only sets with at least one member of `fresh` are tried; the rest of a set comes from both lists.
  std::span<const int> fresh;
  std::span<const int> other;
  int size = 0;             // of the sets; 0: the empty set alone, whatever the lists
  std::int64_t limit = -1;  // on tests; negative: none
  // Throws when the work is to end; called now and then by whatever thread.
  const std::function<void()>* check = nullptr;
};

class IndependenceTest {
 public:
  virtual ~IndependenceTest() = default;
  virtual int variables() const = 0;
  // Sets beyond this size leave no degrees of freedom.
  virtual int largest_set() const = 0;
  // How strongly x and y depend on each other given a set: up to 1 counts as independent. Infinite when the
  // question is undecidable because the set determines x or y; so such a set never separates.
  virtual double strength(int x, int y, std::span<const int> given) const = 0;
  // Tries sets until the first that separates x from y. The default asks strength() set by set, in
  // lexicographic order of fresh followed by other, each sorted by falling relevance.
  virtual SubsetSearch search(int x, int y, const SubsetRequest& request) const;

  bool independent(int x, int y, std::span<const int> given) const { return strength(x, y, given) <= 1.0; }

 protected:
  // How promising a candidate is for separating x from y.
  virtual double relevance(int /*x*/, int /*y*/, int /*candidate*/) const { return 0.0; }
};

// Calls visit(positions) for every combination of `size` positions of [0, count) whose first is below
// `first_below`, in lexicographic order, until it returns false.
template <class Visit>
void for_each_combination(int count, int size, int first_below, Visit visit) {
  std::vector<int> chosen(size);
  for (int k = 0; k < size; ++k) chosen[k] = k;
  if (size > count || (size > 0 && first_below <= 0)) return;
  while (visit(std::span<const int>(chosen))) {
    int k = size - 1;
    while (k >= 0 && chosen[k] == count - size + k) --k;
    if (k < 0) return;
    ++chosen[k];
    for (int j = k + 1; j < size; ++j) chosen[j] = chosen[j - 1] + 1;
    if (chosen[0] >= first_below) return;
  }
}

}  // namespace causcale
