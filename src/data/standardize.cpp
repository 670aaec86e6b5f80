#include "data/standardize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/parallel.h"
#include "base/radix_sort.h"
#include "data/interventions.h"

namespace causcale {
namespace {

// Spreads every bit of the input over the output (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Tables lie row by row, so columns are taken a cache line at a time.
constexpr std::size_t kColumnsAtOnce = 8;

void for_column_blocks(std::size_t columns, int threads,
                       const std::function<void(std::size_t first, std::size_t count)>& work) {
  parallel_for((columns + kColumnsAtOnce - 1) / kColumnsAtOnce, threads, [&](std::size_t block) {
    const std::size_t first = block * kColumnsAtOnce;
    work(first, std::min(kColumnsAtOnce, columns - first));
  });
}

// The number of smaller values in the column, column by column: what is left of the values when units are
// forgotten. NaN come last, all in one place.
Matrix<std::uint32_t> column_ranks(const Matrix<double>& values, int threads) {
  const std::size_t rows = values.rows();
  Matrix<std::uint32_t> ranks(rows, values.cols());
  for_column_blocks(values.cols(), threads, [&](std::size_t first, std::size_t count) {
    std::vector<std::vector<KeyedIndex>> columns(count, std::vector<KeyedIndex>(rows));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < count; ++c)
        columns[c][r] = {sort_key(values(r, first + c)), static_cast<std::uint32_t>(r)};
    std::vector<KeyedIndex> room;
    Matrix<std::uint32_t> found(count, rows);
    for (std::size_t c = 0; c < count; ++c) {
      std::vector<KeyedIndex>& column = columns[c];
      radix_sort(column, room);
      std::uint32_t rank = 0;
      for (std::size_t k = 0; k < rows; ++k) {
        if (k > 0 && column[k - 1].key != column[k].key) rank = static_cast<std::uint32_t>(k);
        found(c, column[k].index) = rank;
      }
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < count; ++c) ranks(r, first + c) = found(c, r);
  });
  return ranks;
}

// More threads than this take longer to start than they save.
int useful_threads(const Matrix<double>& values, int threads) {
  constexpr std::size_t kCellsOfAThread = 100'000;  // about two milliseconds
  return static_cast<int>(
      std::min<std::size_t>(resolve_threads(threads), 1 + values.size() / kCellsOfAThread));
}

// Hashes that know neither the order of rows nor that of columns: rows are described by their values alone,
// columns by their values and the rows these stand in, and rows once more by their values and the columns.
struct Signatures {
  std::vector<std::uint64_t> row;
  std::vector<std::uint64_t> column;
};

Signatures sign(const Matrix<std::uint32_t>& ranks, const Interventions& interventions, int threads) {
  const std::size_t rows = ranks.rows(), cols = ranks.cols();
  Signatures signatures{std::vector<std::uint64_t>(rows), std::vector<std::uint64_t>(cols)};
  const auto targets = [&](std::size_t r) -> const std::vector<int>* {
    if (interventions.regime_of_row.empty()) return nullptr;
    return &interventions.regimes[static_cast<std::size_t>(interventions.regime_of_row[r])];
  };
  std::vector<std::uint64_t> plain(rows);
  parallel_for(rows, threads, [&](std::size_t r) {
    std::uint64_t sum = 0;
    for (const std::uint32_t rank : ranks.row(r)) sum += mix(rank);
    if (const auto* list = targets(r))
      for (const int target : *list) sum += mix(~std::uint64_t{ranks(r, static_cast<std::size_t>(target))});
    plain[r] = mix(sum);
  });
  for_column_blocks(cols, threads, [&](std::size_t first, std::size_t count) {
    std::array<std::uint64_t, kColumnsAtOnce> sum{};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < count; ++c) sum[c] += mix(plain[r] ^ mix(ranks(r, first + c)));
    std::copy_n(sum.begin(), count, signatures.column.begin() + static_cast<std::ptrdiff_t>(first));
  });
  for (std::size_t r = 0; r < rows; ++r)
    if (const auto* list = targets(r))
      for (const int target : *list) signatures.column[static_cast<std::size_t>(target)] += mix(~plain[r]);
  parallel_for(rows, threads, [&](std::size_t r) {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += mix(signatures.column[c] ^ mix(ranks(r, c)));
    signatures.row[r] = sum;
  });
  return signatures;
}

}  // namespace

ColumnMoments column_moments(const Matrix<double>& values, std::span<const std::size_t> rows) {
  const std::size_t cols = values.cols();
  ColumnMoments moments{std::vector<double>(cols, 0.0), std::vector<double>(cols, 1.0)};
  if (rows.empty()) return moments;
  std::vector<double> sum(cols, 0.0), square(cols, 0.0);
  std::vector<char> constant(cols, 1);
  for (const std::size_t r : rows)
    for (std::size_t c = 0; c < cols; ++c) {
      sum[c] += values(r, c);
      if (values(r, c) != values(rows[0], c)) constant[c] = 0;
    }
  const auto count = static_cast<double>(rows.size());
  for (std::size_t c = 0; c < cols; ++c) moments.mean[c] = constant[c] ? values(rows[0], c) : sum[c] / count;
  for (const std::size_t r : rows)
    for (std::size_t c = 0; c < cols; ++c) {
      const double distance = values(r, c) - moments.mean[c];
      square[c] += distance * distance;
    }
  for (std::size_t c = 0; c < cols; ++c) {
    const double deviation = std::sqrt(square[c] / count);
    if (deviation > 0.0) moments.deviation[c] = deviation;
  }
  return moments;
}

ColumnMoments column_moments(const Matrix<double>& values) {
  std::vector<std::size_t> rows(values.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return column_moments(values, rows);
}

Matrix<double> standardize(const Matrix<double>& values) {
  const ColumnMoments moments = column_moments(values);
  Matrix<double> result(values.rows(), values.cols());
  for (std::size_t r = 0; r < values.rows(); ++r)
    for (std::size_t c = 0; c < values.cols(); ++c)
      result(r, c) = (values(r, c) - moments.mean[c]) / moments.deviation[c];
  return result;
}

std::vector<std::size_t> canonical_row_order(const Dataset& dataset, int threads) {
  const Interventions& interventions = dataset.interventions;
  threads = useful_threads(dataset.table.values, threads);
  const Matrix<std::uint32_t> ranks = column_ranks(dataset.table.values, threads);
  const Signatures signatures = sign(ranks, interventions, threads);

  // Regimes in an order that does not depend on the order of the columns.
  std::vector<std::uint64_t> regime_key(interventions.regimes.size(), 0);
  for (std::size_t k = 0; k < regime_key.size(); ++k)
    for (const int target : interventions.regimes[k])
      regime_key[k] += mix(signatures.column[static_cast<std::size_t>(target)]);
  const auto key_of = [&](std::size_t r) {
    return interventions.regime_of_row.empty()
               ? 0
               : regime_key[static_cast<std::size_t>(interventions.regime_of_row[r])];
  };
  const auto regime_of = [&](std::size_t r) {
    return interventions.regime_of_row.empty() ? 0 : interventions.regime_of_row[r];
  };
  std::vector<std::size_t> order(dataset.table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int regime_a = regime_of(a), regime_b = regime_of(b);
    if (regime_a != regime_b) {
      const bool observed_a = interventions.regimes[static_cast<std::size_t>(regime_a)].empty();
      const bool observed_b = interventions.regimes[static_cast<std::size_t>(regime_b)].empty();
      if (observed_a != observed_b) return observed_a;
      if (key_of(a) != key_of(b)) return key_of(a) < key_of(b);
      return regime_a < regime_b;
    }
    if (signatures.row[a] != signatures.row[b]) return signatures.row[a] < signatures.row[b];
    return std::lexicographical_compare(ranks.row(a).begin(), ranks.row(a).end(), ranks.row(b).begin(),
                                        ranks.row(b).end());
  });
  return order;
}

Dataset take_rows(const Dataset& dataset, std::span<const std::size_t> rows) {
  Dataset result;
  result.table.names = dataset.table.names;
  result.table.kinds = dataset.table.kinds;
  result.table.levels = dataset.table.levels;
  result.table.values = Matrix<double>(rows.size(), dataset.table.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto from = dataset.table.values.row(rows[k]);
    std::copy(from.begin(), from.end(), result.table.values.row(k).begin());
  }
  result.interventions = interventions_of_rows(dataset.interventions, rows);
  return result;
}

Dataset in_canonical_order(const Dataset& dataset, int threads) {
  return take_rows(dataset, canonical_row_order(dataset, resolve_threads(threads)));
}

}  // namespace causcale
