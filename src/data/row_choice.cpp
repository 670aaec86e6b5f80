#include "data/row_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "causcale/error.h"

namespace causcale {
namespace {

// By their bits, so that the compiler can test many at once.
bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t kExponent = 0x7FF0000000000000;
  std::uint64_t faulty = 0;
  for (const double value : values) faulty |= (std::bit_cast<std::uint64_t>(value) & kExponent) == kExponent;
  return faulty == 0;
}

// Chooses the rows that stay and settles missing and infinite values in them.
class RowChoice {
 public:
  RowChoice(RawTable& raw, const ReadOptions& options, const std::string& source,
            std::vector<ColumnNote>& columns, ReadNotes* notes)
      : raw_(raw),
        options_(options),
        source_(source),
        columns_(columns),
        notes_(notes),
        keep_(raw.values.rows(), 0) {}

  std::vector<std::size_t> run(const std::vector<std::size_t>& dropped) {
    const std::size_t rows = raw_.values.rows();
    if (rows == 0) throw InputError(fmt::format("{}: the table has no rows", source_));
    if (options_.row_begin >= std::min(options_.row_end, rows))
      throw InputError(fmt::format("{}: no rows are left: rows {} up to {} of a table of {} were asked for",
                                   source_, options_.row_begin, options_.row_end, rows));
    std::fill(keep_.begin() + static_cast<std::ptrdiff_t>(options_.row_begin),
              keep_.begin() + static_cast<std::ptrdiff_t>(std::min(options_.row_end, rows)), 1);
    const std::size_t asked = kept_rows();
    for (const std::size_t row : dropped) keep_[row] = 0;
    scan();
    drop_incomplete();
    if (kept_rows() == 0) throw InputError(fmt::format("{}: no rows are left", source_));
    if (notes_) notes_->rows_dropped = asked - kept_rows();

    std::vector<std::size_t> result;
    for (std::size_t r = 0; r < rows; ++r)
      if (keep_[r]) result.push_back(r);
    return result;
  }

 private:
  std::size_t kept_rows() const {
    return static_cast<std::size_t>(std::count(keep_.begin(), keep_.end(), 1));
  }

  std::string place(std::size_t row, std::size_t column) const {
    const std::string name = quoted_excerpt(raw_.variables[raw_.kept[column]]);
    if (!raw_.line_of_row.empty())
      return fmt::format("{}:{}: column {}", source_, raw_.line_of_row[row], name);
    return fmt::format("{}: row {}, column {}", source_, row + 1, name);
  }

  // A cell whose text could not be read has been reported as such.
  bool unreadable(std::size_t row, std::size_t column) const {
    const auto found = raw_.unreadable.find(column);
    return found != raw_.unreadable.end() && found->second[row];
  }

  bool misses(std::size_t row) const {
    for (std::size_t c = 0; c < raw_.values.cols(); ++c)
      if (std::isnan(raw_.values(row, c)) && !unreadable(row, c)) return true;
    return false;
  }

  // Finds the first missing and infinite value of each column and how many there are.
  void scan() {
    const Matrix<double>& values = raw_.values;
    missing_.resize(values.cols());
    infinite_.resize(values.cols());
    for (std::size_t r = 0; r < values.rows(); ++r) {
      if (!keep_[r]) continue;
      bool complete = true;
      if (!all_finite(values.row(r)))
        for (std::size_t c = 0; c < values.cols(); ++c) {
          if (std::isfinite(values(r, c)) || unreadable(r, c)) continue;
          const bool missing = std::isnan(values(r, c));
          complete = complete && !missing;
          if (!notes_ && !missing) throw InputError(fmt::format("{}: the value is infinite", place(r, c)));
          ReadNotes::Fault& fault = (missing ? missing_ : infinite_)[c];
          if (fault.count++ == 0) {
            fault.column = raw_.variables[raw_.kept[c]];
            fault.row = r;
            fault.line = raw_.line_of_row.empty() ? 0 : raw_.line_of_row[r];
          }
        }
      complete_rows_ += complete;
    }
    for (std::size_t c = 0; c < values.cols(); ++c)
      columns_[raw_.note_of_column[c]].missing = missing_[c].count;
    if (!notes_ && options_.missing == MissingPolicy::kError) throw_first_missing();
    if (!notes_) return;
    notes_->complete_rows = complete_rows_;
    for (const ReadNotes::Fault& fault : infinite_)
      if (fault.count > 0) notes_->infinite_cells.push_back(fault);
    if (options_.missing != MissingPolicy::kError) return;
    for (const ReadNotes::Fault& fault : missing_)
      if (fault.count > 0) notes_->missing_cells.push_back(fault);
  }

  void throw_first_missing() const {
    const ReadNotes::Fault* first = nullptr;
    std::size_t cells = 0, columns = 0, column = 0;
    for (std::size_t c = 0; c < missing_.size(); ++c) {
      if (missing_[c].count == 0) continue;
      cells += missing_[c].count;
      ++columns;
      if (first && first->row <= missing_[c].row) continue;
      first = &missing_[c];
      column = c;
    }
    if (!first) return;
    throw InputError(fmt::format("{}: the value is missing; {} {} missing in {} {} ({})",
                                 place(first->row, column), cells, cells == 1 ? "cell is" : "cells are",
                                 columns, columns == 1 ? "column" : "columns",
                                 missing_hint(complete_rows_, kept_rows())));
  }

  void drop_incomplete() {
    if (options_.missing != MissingPolicy::kDrop) return;
    for (std::size_t r = 0; r < raw_.values.rows(); ++r)
      if (keep_[r] && !all_finite(raw_.values.row(r)) && misses(r)) keep_[r] = 0;
    if (kept_rows() == 0) throw InputError(no_complete_row());
  }

  std::string no_complete_row() const {
    std::size_t worst = 0;
    for (std::size_t c = 0; c < missing_.size(); ++c)
      if (missing_[c].count > missing_[worst].count) worst = c;
    return fmt::format(
        "{}: no rows are left: a value is missing in every row; column {} misses most ({} cells): leave it "
        "out "
        "with --exclude, or give --missing mean",
        source_, quoted_excerpt(raw_.variables[raw_.kept[worst]]), missing_[worst].count);
  }

  RawTable& raw_;
  const ReadOptions& options_;
  const std::string& source_;
  std::vector<ColumnNote>& columns_;
  ReadNotes* notes_;
  std::vector<char> keep_;
  std::vector<ReadNotes::Fault> missing_, infinite_;
  std::size_t complete_rows_ = 0;
};

// Without NaN; NaN if there is nothing else.
double mean(const Matrix<double>& values, std::size_t c) {
  double sum = 0.0;
  std::size_t present = 0;
  for (std::size_t r = 0; r < values.rows(); ++r)
    if (!std::isnan(values(r, c))) {
      sum += values(r, c);
      ++present;
    }
  return present == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(present);
}

// Likewise; the least of those that are equally frequent.
double most_frequent(const Matrix<double>& values, std::size_t c) {
  std::map<double, std::size_t> cells;
  for (std::size_t r = 0; r < values.rows(); ++r)
    if (!std::isnan(values(r, c))) ++cells[values(r, c)];
  double best = std::numeric_limits<double>::quiet_NaN();
  std::size_t most = 0;
  for (const auto& [value, count] : cells)
    if (count > most) {
      most = count;
      best = value;
    }
  return best;
}

}  // namespace

std::vector<std::size_t> choose_rows(RawTable& raw, const ReadOptions& options, const std::string& source,
                                     const std::vector<std::size_t>& dropped,
                                     std::vector<ColumnNote>& columns, ReadNotes* notes) {
  return RowChoice(raw, options, source, columns, notes).run(dropped);
}

std::size_t fill_gaps(const RawTable& raw, const std::vector<std::size_t>& rows, const std::string& source,
                      Table& table) {
  std::size_t filled = 0;
  Matrix<double>& values = table.values;
  for (std::size_t c = 0; c < values.cols(); ++c) {
    const auto faults = raw.unreadable.find(c);
    const auto is_gap = [&](std::size_t r) {
      return std::isnan(values(r, c)) && (faults == raw.unreadable.end() || !faults->second[rows[r]]);
    };
    std::size_t r = 0;
    while (r < values.rows() && !is_gap(r)) ++r;
    if (r == values.rows()) continue;
    // A mean of words means nothing.
    const bool category = !raw.levels[c].empty() || raw.kinds[c] == ColumnKind::kUnordered;
    const double filling = category ? most_frequent(values, c) : mean(values, c);
    if (std::isnan(filling))
      throw InputError(fmt::format("{}: column {} has no value at all; leave it out with --exclude", source,
                                   quoted_excerpt(table.names[c])));
    for (; r < values.rows(); ++r)
      if (is_gap(r)) {
        values(r, c) = filling;
        ++filled;
      }
  }
  return filled;
}

}  // namespace causcale
