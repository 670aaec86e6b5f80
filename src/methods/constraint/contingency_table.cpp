#include "methods/constraint/contingency_table.h"

#include <algorithm>

namespace causcale {
namespace {

constexpr std::size_t kCopies = 4;

}  // namespace

ContingencyTable::ContingencyTable(const CodedColumn& x, const CodedColumn& y, ContingencyStatistic statistic,
                                   std::span<const double> n_log_n)
    : x_(x),
      y_(y),
      statistic_(statistic),
      n_log_n_(n_log_n),
      cells_(static_cast<std::size_t>(x.width()) * y.width()),
      both_(x.codes.size()),
      x_counts_(x.width()),
      y_counts_(y.width()) {
  const auto width = static_cast<std::uint16_t>(y.width());
  for (std::size_t r = 0; r < both_.size(); ++r)
    both_[r] = static_cast<std::uint16_t>(x.codes[r] * width + y.codes[r]);
}

ContingencyValue ContingencyTable::of(const Strata& strata) {
  const std::size_t cells = (strata.count + std::size_t{1}) * cells_;
  return cells <= 2 * both_.size() + 64 ? of_few_cells(strata, nullptr) : of_many_cells(strata);
}

ContingencyValue ContingencyTable::of(const Strata& strata, const CodedColumn& last) {
  const std::size_t cells = (strata.count + std::size_t{1}) * cells_ * static_cast<std::size_t>(last.width());
  if (cells <= 2 * both_.size() + 64) return of_few_cells(strata, &last);
  strata.refine(last, finer_);
  return of(finer_);
}

// One table of all strata.
ContingencyValue ContingencyTable::of_few_cells(const Strata& strata, const CodedColumn* last) {
  const std::size_t width = last ? static_cast<std::size_t>(last->width()) : 1;
  const std::size_t cells = (strata.count + std::size_t{1}) * cells_ * width;
  const std::size_t copies = cells * kCopies <= 4096 ? kCopies : 1;
  counts_.assign(cells * copies, 0);
  const std::size_t rows = both_.size();
  const std::uint32_t* of_row = strata.of_row.data();
  const auto block = static_cast<std::uint32_t>(cells_);
  const auto block_of_stratum = static_cast<std::uint32_t>(cells_ * width);
  const auto count_rows = [&](auto index) {
    std::size_t r = 0;
    if (copies == kCopies) {
      std::uint32_t* const counts = counts_.data();
      for (; r + kCopies <= rows; r += kCopies) {
        ++counts[index(r)];
        ++counts[cells + index(r + 1)];
        ++counts[2 * cells + index(r + 2)];
        ++counts[3 * cells + index(r + 3)];
      }
    }
    for (; r < rows; ++r) ++counts_[index(r)];
  };
  const std::uint16_t* both = both_.data();
  const std::uint8_t* codes = last ? last->codes.data() : nullptr;
  if (!last)
    count_rows([=](std::size_t r) { return of_row[r] * block + both[r]; });
  else
    count_rows([=](std::size_t r) { return of_row[r] * block_of_stratum + codes[r] * block + both[r]; });
  for (std::size_t copy = 1; copy < copies; ++copy)
    for (std::size_t k = 0; k < cells; ++k) counts_[k] += counts_[copy * cells + k];

  ContingencyValue value;
  const std::size_t levels = last ? static_cast<std::size_t>(last->levels) : 1;
  for (std::size_t s = 0; s < strata.count; ++s)
    for (std::size_t level = 0; level < levels; ++level)
      add_block(counts_.data() + (s * width + level) * cells_, value);
  return value;
}

void ContingencyTable::add_block(const std::uint32_t* counts, ContingencyValue& value) {
  const int of_x = x_.levels, of_y = y_.levels;
  const std::size_t width = static_cast<std::size_t>(y_.width());
  std::ranges::fill(y_counts_, 0u);
  std::uint32_t whole = 0;
  for (int i = 0; i < of_x; ++i) {
    const std::uint32_t* line = counts + i * width;
    std::uint32_t sum = 0;
    for (int j = 0; j < of_y; ++j) {
      sum += line[j];
      y_counts_[j] += line[j];
    }
    x_counts_[i] = sum;
    whole += sum;
  }
  if (whole == 0) return;
  value.rows += whole;
  ++value.strata;
  int seen_x = 0, seen_y = 0;
  for (int i = 0; i < of_x; ++i) seen_x += x_counts_[i] > 0;
  for (int j = 0; j < of_y; ++j) seen_y += y_counts_[j] > 0;
  if (seen_x < 2 || seen_y < 2) return;
  double sum = 0.0;
  if (statistic_ == ContingencyStatistic::kLikelihoodRatio) {
    sum = n_log_n_[whole];
    for (int i = 0; i < of_x; ++i) {
      sum -= n_log_n_[x_counts_[i]];
      for (int j = 0; j < of_y; ++j) sum += n_log_n_[counts[i * width + j]];
    }
    for (int j = 0; j < of_y; ++j) sum -= n_log_n_[y_counts_[j]];
    sum *= 2.0;
  } else {
    for (int i = 0; i < of_x; ++i) {
      if (x_counts_[i] == 0) continue;
      double line = 0.0;
      for (int j = 0; j < of_y; ++j)
        if (const double count = counts[i * width + j]; count > 0.0) line += count * count / y_counts_[j];
      sum += line / x_counts_[i];
    }
    sum = whole * (sum - 1.0);
  }
  value.statistic += std::max(0.0, sum);
  value.degrees += static_cast<double>(seen_x - 1) * (seen_y - 1);
}

// Rows sorted by stratum: no table of cells that are mostly empty.
ContingencyValue ContingencyTable::of_many_cells(const Strata& strata) {
  const std::size_t rows = both_.size();
  begin_.assign(strata.count + std::size_t{2}, 0);
  for (std::size_t r = 0; r < rows; ++r) ++begin_[strata.of_row[r] + 1];
  for (std::size_t s = 0; s <= strata.count; ++s) begin_[s + 1] += begin_[s];
  sorted_.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) sorted_[begin_[strata.of_row[r]]++] = both_[r];
  counts_.assign(cells_, 0);
  ContingencyValue value;
  std::size_t begin = 0;
  for (std::size_t s = 0; s < strata.count; ++s) {
    const std::size_t end = begin_[s];
    if (end > begin) add_rows({sorted_.data() + begin, end - begin}, value);
    begin = end;
  }
  return value;
}

void ContingencyTable::add_rows(std::span<const std::uint16_t> rows, ContingencyValue& value) {
  if (rows.size() == 1) {
    const bool known = rows[0] / y_.width() < x_.levels && rows[0] % y_.width() < y_.levels;
    value.rows += known;
    value.strata += known;
    return;
  }
  for (const std::uint16_t cell : rows) ++counts_[cell];
  add_block(counts_.data(), value);
  for (const std::uint16_t cell : rows) counts_[cell] = 0;
}

}  // namespace causcale
