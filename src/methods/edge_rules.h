// Background knowledge as constant-time look-ups.
#pragma once

#include <vector>

#include "causcale/knowledge.h"
#include "causcale/matrix.h"

namespace causcale {

class EdgeRules {
 public:
  EdgeRules() = default;
  EdgeRules(const Knowledge& knowledge, int nodes);

  // a -> b must not be; also true where b -> a is required.
  bool forbids(int a, int b) const { return !forbidden_.empty() && forbidden_(a, b); }
  bool demands(int a, int b) const { return !required_.empty() && required_(a, b); }
  bool demands_either(int a, int b) const { return demands(a, b) || demands(b, a); }
  // No edge of any kind may join a and b.
  bool separates(int a, int b) const { return forbids(a, b) && forbids(b, a); }
  // Tiers exclude that z is a cause, however indirect, of x or y.
  bool after_both(int z, int x, int y) const { return after(z, x) && after(z, y); }

 private:
  bool after(int z, int x) const { return !tier_.empty() && tier_[x] >= 0 && tier_[z] > tier_[x]; }

  Matrix<std::uint8_t> forbidden_, required_;  // empty when there is nothing to say
  std::vector<int> tier_;
};

// The same knowledge when variable k is called position[k].
Knowledge renumbered(const Knowledge& knowledge, const std::vector<int>& position);

}  // namespace causcale
