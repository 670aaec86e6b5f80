#include "simulate/worlds/missing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace causcale {
namespace {

// Place of every value among those of its column, from 0 to 1; equal values share the middle of theirs.
std::vector<double> ranks(const Matrix<double>& values, std::size_t column) {
  const std::size_t rows = values.rows();
  std::vector<int> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) { return values(a, column) < values(b, column); });
  std::vector<double> rank(rows);
  for (std::size_t start = 0; start < rows;) {
    std::size_t end = start;
    while (end < rows && values(order[end], column) == values(order[start], column)) ++end;
    for (std::size_t k = start; k < end; ++k)
      rank[order[k]] = 0.5 * static_cast<double>(start + end) / static_cast<double>(rows);
    start = end;
  }
  return rank;
}

// A probability that grows (or falls) with the rank and is `share` on the average over a column without ties.
double by_rank(double rank, double share, bool high) {
  const double place = high ? rank : 1 - rank;
  // place^k has the mean 1 / (k + 1); shares above one half are the mirror image.
  return share <= 0.5 ? std::pow(place, 1 / share - 1) : 1 - std::pow(1 - place, 1 / (1 - share) - 1);
}

void remove_blocks(double share, RandomStream& random, Matrix<std::uint8_t>& gone) {
  const std::size_t rows = gone.rows(), cols = gone.cols();
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(rows * cols));
  std::size_t removed = 0;
  for (int attempt = 0; removed < wanted && attempt < 10000; ++attempt) {
    const std::size_t height =
        1 + random.below(static_cast<std::uint32_t>(std::max<std::size_t>(1, rows / 3)));
    const std::size_t first = random.below(static_cast<std::uint32_t>(rows - height + 1));
    const double width = random.uniform(0.05, 0.5);
    for (std::size_t c = 0; c < cols && removed < wanted; ++c) {
      if (!random.coin(width)) continue;
      for (std::size_t r = first; r < first + height && removed < wanted; ++r) {
        removed += gone(r, c) ? 0 : 1;
        gone(r, c) = 1;
      }
    }
  }
}

}  // namespace

void remove_cells(WorldDraw& draw, Table& table) {
  const double share = draw.number("missing");
  if (share <= 0) return;
  const MissingKind kind =
      choice_named(kMissingKindNames, draw.word("missing_kind"), "kind of missing cells");
  RandomStream random = draw.stream(Purpose::kWorldMissing);
  remove_cells(kind, share, random, table);
}

void remove_cells(MissingKind kind, double share, RandomStream& random, Table& table) {
  const std::size_t rows = table.rows(), cols = table.cols();
  Matrix<std::uint8_t> gone(rows, cols);
  if (kind == MissingKind::kBlocks) {
    remove_blocks(share, random, gone);
  } else {
    for (std::size_t c = 0; c < cols; ++c) {
      const bool high = random.coin();
      std::size_t driver = c;
      if (kind == MissingKind::kOthers && cols > 1)
        driver = (c + 1 + random.below(static_cast<std::uint32_t>(cols - 1))) % cols;
      const std::vector<double> rank =
          kind == MissingKind::kRandom ? std::vector<double>() : ranks(table.values, driver);
      for (std::size_t r = 0; r < rows; ++r)
        gone(r, c) = random.coin(kind == MissingKind::kRandom ? share : by_rank(rank[r], share, high));
    }
  }
  for (std::size_t c = 0; c < cols; ++c) {
    std::size_t left = 0;
    for (std::size_t r = 0; r < rows; ++r) left += !gone(r, c);
    for (std::size_t r = 0; r < rows && left < 2; ++r) {
      left += gone(r, c);
      gone(r, c) = 0;
    }
    for (std::size_t r = 0; r < rows; ++r)
      if (gone(r, c)) table.values(r, c) = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace causcale
