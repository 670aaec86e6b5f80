#include "data/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/byte_size.h"
#include "base/npy.h"
#include "causcale/error.h"
#include "data/csv.h"
#include "data/h5ad.h"
#include "data/npz.h"
#include "data/raw_table.h"
#include "data/row_choice.h"
#include "data/settle_columns.h"

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

RawTable read_raw(const std::filesystem::path& path, const ReadOptions& options) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if ((extension == ".npy" || extension == ".npz") && !options.label_column.empty())
    throw UsageError(fmt::format("{}: {} files have no label column; give the interventions in a file",
                                 path.string(), extension));
  if (extension == ".npy") return read_npy_table(path, options);
  if (extension == ".npz") return read_npz(path, options);
  if (extension == ".h5ad" || extension == ".h5") return read_h5ad(path, options);
  return read_csv(path, options, TextCells::kCollect);
}

// A marker such as -999 is a number to the parsers.
void apply_numeric_markers(const std::vector<std::string>& markers, Matrix<double>& values) {
  for (const double number : numeric_markers(markers))
    std::replace(values.values().begin(), values.values().end(), number, std::nan(""));
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

// Targets keep their columns when those move; one that was set aside is a target no more. `former` are the
// variables of the former columns.
void move_targets(const std::vector<int>& new_column, const std::vector<std::size_t>& former,
                  const std::vector<std::string>& variables, ParsedInterventions& parsed) {
  bool moved = false;
  for (std::size_t c = 0; c < new_column.size(); ++c) moved = moved || new_column[c] != static_cast<int>(c);
  if (!moved) return;
  std::vector<char> lost(new_column.size(), 0);
  std::vector<std::vector<int>> targets_of_row;
  for (const int regime : parsed.interventions.regime_of_row) {
    std::vector<int> targets;
    for (const int target : parsed.interventions.regimes[static_cast<std::size_t>(regime)]) {
      const int column = new_column[static_cast<std::size_t>(target)];
      if (column >= 0)
        targets.push_back(column);
      else
        lost[static_cast<std::size_t>(target)] = 1;
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    targets_of_row.push_back(std::move(targets));
  }
  for (std::size_t c = 0; c < lost.size(); ++c)
    if (lost[c]) parsed.excluded_targets.push_back(variables[former[c]]);
  parsed.interventions = canonical_interventions(std::move(targets_of_row));
}

// The kinds that words and callers told, and those of the values for all others.
void fill_in_kinds(const RawTable& raw, std::vector<ColumnNote>& notes, Table& table) {
  const std::vector<KindFound> found = infer_kinds(table.values);
  for (std::size_t c = 0; c < found.size(); ++c) {
    ColumnNote& note = notes[raw.note_of_column[c]];
    if (!raw.kinds[c] || (found[c].kind == ColumnKind::kConstant && !note.told)) {
      note.kind = found[c].kind;
      note.reason = found[c].reason;
    }
    note.levels = raw.levels[c];
    table.kinds.push_back(note.kind);
  }
  const bool words =
      std::any_of(raw.levels.begin(), raw.levels.end(), [](const auto& l) { return !l.empty(); });
  if (words) table.levels = raw.levels;
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& path, const ReadOptions& options, ReadNotes* notes) {
  const std::string source = path.string();
  RawTable raw = read_raw(path, options);
  if (raw.kept.empty()) throw InputError(fmt::format("{}: the table has no columns", source));
  apply_numeric_markers(options.missing_markers, raw.values);
  complete_names(raw.variables);
  if (!notes) reject_repeated_names(raw.variables, source);

  ParsedInterventions parsed = parse_interventions(raw, options, source, notes);
  return settle_table(std::move(raw), std::move(parsed), options, source, notes);
}

Dataset settle_table(RawTable raw, ParsedInterventions parsed, const ReadOptions& options,
                     const std::string& source, ReadNotes* notes) {
  const std::vector<std::size_t> former = raw.kept;
  SettledColumns settled = settle_columns(raw, options, source, notes != nullptr);
  move_targets(settled.new_column, former, raw.variables, parsed);
  const std::vector<std::size_t> rows =
      choose_rows(raw, options, source, parsed.dropped_rows, settled.notes, notes);

  Dataset dataset;
  for (const std::size_t variable : raw.kept) dataset.table.names.push_back(raw.variables[variable]);
  dataset.table.values = only_rows(std::move(raw.values), rows);
  fill_in_kinds(raw, settled.notes, dataset.table);
  const std::size_t filled =
      options.missing == MissingPolicy::kMean ? fill_gaps(raw, rows, source, dataset.table) : 0;
  dataset.interventions = interventions_of_rows(parsed.interventions, rows);
  if (notes) {
    notes->columns = std::move(settled.notes);
    notes->cells_filled = filled;
    notes->not_utf8 = raw.not_utf8;
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
