#include "metrics/orientation_accuracy.h"

#include <limits>

namespace causcale {

double orientation_accuracy(const Matrix<double>& scores, const Digraph& truth) {
  if (truth.edge_count() == 0) return std::numeric_limits<double>::quiet_NaN();
  std::size_t right = 0;
  for (const auto& [source, target] : truth.edges()) right += scores(source, target) > scores(target, source);
  return static_cast<double>(right) / static_cast<double>(truth.edge_count());
}

}  // namespace causcale
