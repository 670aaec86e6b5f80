#include "data/normal_scores.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace causcale {

Table with_normal_scores(const Table& table) {
  Table result = table;
  std::vector<std::size_t> rows;
  for (std::size_t c = 0; c < table.cols(); ++c) {
    rows.clear();
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (!std::isnan(table.values(r, c))) rows.push_back(r);
    std::ranges::sort(rows, {}, [&](std::size_t r) { return table.values(r, c); });
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && table.values(rows[end], c) == table.values(rows[begin], c)) ++end;
      const double rank = 0.5 * static_cast<double>(begin + 1 + end);
      const double score = normal_quantile(rank / static_cast<double>(rows.size() + 1));
      for (std::size_t k = begin; k < end; ++k) result.values(rows[k], c) = score;
    }
  }
  return result;
}

}  // namespace causcale
