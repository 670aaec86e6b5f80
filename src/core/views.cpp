#include "core/views.h"

#include <cstdint>

#include "base/random.h"

namespace causcale {
namespace {

// Related columns are often higher in the same one of two rows; whether that happened in an odd number of
// five pairs of rows says next to nothing about their relation.
constexpr int kPairs = 5;

}  // namespace

std::vector<float> view_signs(const Table& table, int view) {
  std::vector<float> signs(table.cols(), 1.0f);
  if (view == 0) return signs;
  RandomStream random(0, static_cast<std::uint32_t>(view), Purpose::kView);
  const auto rows = static_cast<std::uint32_t>(table.rows());
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::uint32_t first = random.below(rows), second = random.below(rows);
    for (std::size_t c = 0; c < table.cols(); ++c)
      if (table.values(first, c) < table.values(second, c)) signs[c] = -signs[c];
  }
  return signs;
}

}  // namespace causcale
