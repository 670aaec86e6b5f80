#include "data/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "base/byte_size.h"
#include "base/npy.h"
#include "causcale/error.h"
#include "data/csv.h"
#include "data/h5ad.h"
#include "data/npz.h"
#include "data/parse_number.h"
#include "data/raw_table.h"

namespace causcale {
namespace {

RawTable read_npy_table(const std::filesystem::path& path, const ReadOptions& options) {
  const std::size_t limit = reading_limit(options.max_bytes);
  Matrix<double> values = npy_table(read_npy(path, limit), path.string());
  require_memory(path.string(),
                 values.size() * sizeof(double) + whole_table_memory(values.rows(), values.cols(), options),
                 limit);
  RawTable raw;
  adopt_whole_table(std::move(values), {}, options, path.string(), raw);
  return raw;
}

RawTable read_raw(const std::filesystem::path& path, const ReadOptions& options, bool note_faults) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if ((extension == ".npy" || extension == ".npz") && !options.label_column.empty())
    throw UsageError(fmt::format("{}: {} files have no label column; give the interventions in a file",
                                 path.string(), extension));
  if (extension == ".npy") return read_npy_table(path, options);
  if (extension == ".npz") return read_npz(path, options);
  if (extension == ".h5ad" || extension == ".h5") return read_h5ad(path, options);
  return read_csv(path, options, note_faults);
}

// A marker such as -999 is a number to the parsers.
void apply_numeric_markers(const std::vector<std::string>& markers, Matrix<double>& values) {
  for (const std::string& marker : markers) {
    double number;
    if (!parse_number(marker, number)) continue;
    std::replace(values.values().begin(), values.values().end(), number, std::nan(""));
  }
}

// Columns without a name get the one they would have without a header.
void complete_names(std::vector<std::string>& names) {
  for (std::size_t c = 0; c < names.size(); ++c)
    if (names[c].empty()) names[c] = fmt::format("X{}", c);
}

void reject_repeated_names(const std::vector<std::string>& names, const std::string& source) {
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t c = 0; c < names.size(); ++c)
    if (const auto [known, added] = first.emplace(names[c], c); !added)
      throw InputError(fmt::format("{}: columns {} and {} have the same name {}", source, known->second, c,
                                   quoted_excerpt(names[c])));
}

ParsedInterventions parse_interventions(const RawTable& raw, const ReadOptions& options,
                                        const std::string& source, ReadNotes* notes) {
  InterventionOptions how = options.interventions;
  if (!how.file.empty() && !options.label_column.empty())
    throw UsageError("interventions are given twice: in a file and in a label column");
  if (notes) notes->unknown_targets_are_errors = how.unknown == UnknownTargets::kError;
  if (notes && how.unknown == UnknownTargets::kError) how.unknown = UnknownTargets::kIgnore;
  TargetNames names{raw.variables, std::vector<int>(raw.variables.size(), -1)};
  for (std::size_t c = 0; c < raw.kept.size(); ++c) names.column[raw.kept[c]] = static_cast<int>(c);
  const std::size_t rows = raw.values.rows();
  if (notes) notes->interventions_given = !how.file.empty() || raw.labels || raw.mask;
  if (!how.file.empty()) return read_interventions(rows, names, how);
  if (raw.labels) {
    if (raw.labels->size() != rows)
      throw InputError(
          fmt::format("{}: {} intervention labels for {} rows", source, raw.labels->size(), rows));
    return interventions_from_labels(*raw.labels, names, how, source);
  }
  if (raw.mask) return interventions_from_mask(*raw.mask, rows, names, how, source);
  return {{{{}}, std::vector<int>(rows, 0)}, {}, {}, {}, {}};  // one regime, and it is observational
}

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
  RowChoice(RawTable& raw, const ReadOptions& options, const std::string& source, ReadNotes* notes)
      : raw_(raw), options_(options), source_(source), notes_(notes), keep_(raw.values.rows(), 0) {}

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
    settle_missing();
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
    return fmt::format("{}: row {}, column {}", source_, row, name);
  }

  // Finds the first missing and infinite value of each column and how many there are.
  void scan() {
    const Matrix<double>& values = raw_.values;
    missing_.resize(values.cols());
    infinite_.resize(values.cols());
    for (std::size_t r = 0; r < values.rows(); ++r) {
      if (!keep_[r] || all_finite(values.row(r))) continue;
      for (std::size_t c = 0; c < values.cols(); ++c) {
        if (std::isfinite(values(r, c))) continue;
        const bool missing = std::isnan(values(r, c));
        if (!notes_ && !missing) throw InputError(fmt::format("{}: the value is infinite", place(r, c)));
        if (!notes_ && options_.missing == MissingPolicy::kError)
          throw InputError(fmt::format(
              "{}: the value is missing (--missing drop leaves such rows out, --missing mean fills in)",
              place(r, c)));
        ReadNotes::Fault& fault = (missing ? missing_ : infinite_)[c];
        if (fault.count++ == 0) {
          fault.column = raw_.variables[raw_.kept[c]];
          fault.row = r;
          fault.line = raw_.line_of_row.empty() ? 0 : raw_.line_of_row[r];
        }
      }
    }
    if (!notes_) return;
    for (const ReadNotes::Fault& fault : infinite_)
      if (fault.count > 0) notes_->infinite_cells.push_back(fault);
    if (options_.missing != MissingPolicy::kError) return;
    std::unordered_map<std::string_view, std::size_t> texts;  // NaN stands for those, too
    for (const ReadNotes::Fault& fault : raw_.text_cells) texts[fault.column] = fault.count;
    for (ReadNotes::Fault& fault : missing_) {
      const auto known = texts.find(fault.column);
      fault.count -= known == texts.end() ? 0 : std::min(fault.count, known->second);
      if (fault.count > 0) notes_->missing_cells.push_back(fault);
    }
  }

  void settle_missing() {
    Matrix<double>& values = raw_.values;
    if (options_.missing == MissingPolicy::kDrop) {
      for (std::size_t r = 0; r < values.rows(); ++r)
        if (keep_[r] &&
            std::any_of(values.row(r).begin(), values.row(r).end(), [](double v) { return std::isnan(v); }))
          keep_[r] = 0;
    } else if (options_.missing == MissingPolicy::kMean) {
      for (std::size_t c = 0; c < values.cols(); ++c)
        if (missing_[c].count > 0) fill_column(c);
    }
  }

  void fill_column(std::size_t c) {
    Matrix<double>& values = raw_.values;
    double sum = 0.0;
    std::size_t present = 0;
    for (std::size_t r = 0; r < values.rows(); ++r)
      if (keep_[r] && !std::isnan(values(r, c))) {
        sum += values(r, c);
        ++present;
      }
    if (present == 0)
      throw InputError(fmt::format("{}: column {} has no value at all; leave it out with --exclude", source_,
                                   quoted_excerpt(raw_.variables[raw_.kept[c]])));
    for (std::size_t r = 0; r < values.rows(); ++r)
      if (keep_[r] && std::isnan(values(r, c))) {
        values(r, c) = sum / static_cast<double>(present);
        if (notes_) ++notes_->cells_filled;
      }
  }

  RawTable& raw_;
  const ReadOptions& options_;
  const std::string& source_;
  ReadNotes* notes_;
  std::vector<char> keep_;
  std::vector<ReadNotes::Fault> missing_, infinite_;
};

// Moves the given rows, which ascend, to the front and cuts off the rest.
Matrix<double> only_rows(Matrix<double> values, const std::vector<std::size_t>& rows) {
  if (rows.size() == values.rows()) return values;
  const std::size_t width = values.cols();
  std::vector<double> cells = std::move(values.values());
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] != k)
      std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(rows[k] * width), width,
                  cells.begin() + static_cast<std::ptrdiff_t>(k * width));
  cells.resize(rows.size() * width);
  return {rows.size(), width, std::move(cells)};
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, ReadNotes* notes) {
  const std::string source = path.string();
  RawTable raw = read_raw(path, options, notes != nullptr);
  if (raw.kept.empty()) throw InputError(fmt::format("{}: the table has no columns", source));
  apply_numeric_markers(options.missing_markers, raw.values);
  complete_names(raw.variables);
  if (!notes) reject_repeated_names(raw.variables, source);

  ParsedInterventions parsed = parse_interventions(raw, options, source, notes);
  const std::vector<std::size_t> rows = RowChoice(raw, options, source, notes).run(parsed.dropped_rows);

  Dataset dataset;
  for (const std::size_t variable : raw.kept) dataset.table.names.push_back(raw.variables[variable]);
  dataset.table.values = only_rows(std::move(raw.values), rows);
  dataset.interventions = interventions_of_rows(parsed.interventions, rows);
  if (notes) {
    notes->text_cells = std::move(raw.text_cells);
    notes->header_looks_numeric = raw.header_looks_numeric;
    notes->unknown_targets = std::move(parsed.unknown_targets);
    notes->unseen_regimes = std::move(parsed.unseen_regimes);
    notes->excluded_targets = std::move(parsed.excluded_targets);
    if (!raw.line_of_row.empty())
      for (const std::size_t row : rows) notes->line_of_row.push_back(raw.line_of_row[row]);
  }
  return dataset;
}

}  // namespace causcale
