// Which variables each variable is most likely joined to: a rough answer for tables of so many columns that
// pairs have to be chosen before anything looks at them closely, in memory far below n x n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

struct Neighbours {
  std::size_t columns = 0, each = 0;
  std::vector<std::int32_t> list;  // [columns, each], the likeliest first

  std::span<const std::int32_t> of(std::size_t column) const { return {list.data() + column * each, each}; }
};

// Of each column `each` others (all, if there are fewer), taken in turn from two orders: by partial
// correlation given all other columns, the covariance being shrunk as for priors, and by correlation of the
// values or of their distances from the mean, which tells of curves that a line misses. NaN counts as the
// mean. Units and signs do not matter. Of long tables kMostNeighbourRows rows are looked at, drawn by `seed`.
// Progress is called with the share that is done; it may throw, which ends the work.
inline constexpr std::size_t kMostNeighbourRows = 4096;
Neighbours likely_neighbours(const Matrix<double>& values, std::size_t each, std::uint64_t seed, int threads,
                             const std::function<void(double share)>& progress = {});

}  // namespace causcale
