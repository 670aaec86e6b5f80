#include "data/settle_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "causcale/error.h"
#include "data/column_group.h"
#include "data/words.h"

namespace causcale {
namespace {

class Settling {
 public:
  Settling(RawTable& raw, const ReadOptions& options, const std::string& source)
      : raw_(raw), options_(options), source_(source), told_(raw.variables.size(), nullptr) {
    std::vector<std::string> named;
    for (const ColumnType& type : options.types) named.push_back(type.column);
    const std::vector<std::size_t> found = find_variables(raw.variables, named, source);
    for (std::size_t k = 0; k < found.size(); ++k) told_[found[k]] = &options.types[k];
    text_of_.assign(raw.values.cols(), nullptr);
    for (const TextColumn& text : raw.texts) text_of_[text.column] = &text;
  }

  SettledColumns run(bool note_faults) {
    const std::size_t columns = raw_.values.cols();
    result_.notes.resize(columns);
    raw_.levels.resize(columns);
    raw_.kinds.resize(columns);
    if (options_.transpose == false) raw_.text_cells.clear();  // those that remain are found again, by column
    for (std::size_t c = 0; c < columns; ++c) {
      note(c).name = name(c);
      note(c).told = told(c) != nullptr;
      if (text_of_[c])
        settle_words(c, *text_of_[c]);
      else
        settle_numbers(c);
    }
    std::stable_sort(raw_.text_cells.begin(), raw_.text_cells.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    if (!note_faults && !raw_.text_cells.empty()) throw_fault(raw_.text_cells.front());
    raw_.texts.clear();
    for (const ColumnGroup& group : options_.groups)
      groups_.push_back(read_column_group(raw_, group, source_));
    rebuild();
    return std::move(result_);
  }

 private:
  ColumnNote& note(std::size_t c) { return result_.notes[c]; }
  const std::string& name(std::size_t c) const { return raw_.variables[raw_.kept[c]]; }
  const ColumnType* told(std::size_t c) const { return told_[raw_.kept[c]]; }

  void settle_words(std::size_t c, const TextColumn& text) {
    WordReading reading = read_words(text.cells, told(c), options_.missing_markers,
                                     raw_.decimal_commas_likely ? DecimalMark::kComma : DecimalMark::kPoint,
                                     options_.dates_as_numbers, source_, name(c));
    for (std::size_t r = 0; r < raw_.values.rows(); ++r)
      raw_.values(r, c) = reading.value[text.cells.code[r]];
    if (reading.levels.empty()) apply_numeric_markers(c);
    ColumnNote& about = note(c);
    about.reason = std::move(reading.reason);
    about.set_aside = reading.set_aside;
    about.writing = std::move(reading.writing);
    about.assumption = std::move(reading.assumption);
    about.kind = reading.kind.value_or(ColumnKind::kContinuous);
    if (about.set_aside)
      for (const std::uint32_t code : text.cells.code)
        about.missing += is_missing_word(text.cells.words[code], options_.missing_markers);
    raw_.kinds[c] = reading.kind;
    raw_.levels[c] = std::move(reading.levels);
    if (std::find(reading.unreadable.begin(), reading.unreadable.end(), 1) != reading.unreadable.end())
      note_fault(c, text, reading.unreadable);
  }

  void note_fault(std::size_t c, const TextColumn& text, const std::vector<char>& unreadable) {
    std::vector<char>& rows = raw_.unreadable[c];
    rows.assign(raw_.values.rows(), 0);
    ReadNotes::Fault fault;
    fault.column = name(c);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::uint32_t code = text.cells.code[r];
      if (!unreadable[code]) continue;
      rows[r] = 1;
      if (fault.count++ > 0) continue;
      fault.row = r;
      fault.line = raw_.line_of_row.empty() ? 0 : raw_.line_of_row[r];
      fault.text = quoted_excerpt(text.cells.words[code]);
    }
    raw_.text_cells.push_back(std::move(fault));
  }

  [[noreturn]] void throw_fault(const ReadNotes::Fault& fault) const {
    const std::string more =
        fault.count > 1 ? fmt::format(" (nor are {} more cells of the column)", fault.count - 1) : "";
    const auto& variables = raw_.variables;
    const auto found = std::find(variables.begin(), variables.end(), fault.column);
    const ColumnType* type =
        found == variables.end() ? nullptr : told_[static_cast<std::size_t>(found - variables.begin())];
    const char* what = type && type->kind == ColumnKind::kDate ? "a date"
                       : type && !type->order.empty()          ? "among the words of the order given"
                                                               : "a number";
    throw InputError(fmt::format("{}:{}: column {}: {} is not {}{}; {}", source_, fault.line,
                                 quoted_excerpt(fault.column), fault.text, what, more, kTextCellHint));
  }

  void settle_numbers(std::size_t c) {
    ColumnNote& about = note(c);
    if (const ColumnType* type = told(c)) {
      about.kind = type->kind;
      about.reason = "as told";
      about.set_aside = type->kind == ColumnKind::kIdentifier ||
                        (type->kind == ColumnKind::kDate && !options_.dates_as_numbers);
      raw_.kinds[c] = type->kind;
      if (type->kind == ColumnKind::kBinary) expect_two_values(c);
    } else if (names_a_row(name(c)) && counts_rows(raw_.values, c)) {
      about.kind = ColumnKind::kIdentifier;
      about.reason = "whole numbers that count the rows, and a name that says so";
      about.set_aside = true;
    } else if (empty(c)) {
      about.kind = ColumnKind::kConstant;
      about.reason = "no value at all";
      about.set_aside = true;
    }
    if (about.set_aside)
      for (std::size_t r = 0; r < raw_.values.rows(); ++r) about.missing += std::isnan(raw_.values(r, c));
  }

  // Spreadsheets have columns without content; in an array of numbers they are a fault.
  bool empty(std::size_t c) const {
    if (raw_.line_of_row.empty()) return false;
    for (std::size_t r = 0; r < raw_.values.rows(); ++r)
      if (!std::isnan(raw_.values(r, c))) return false;
    return true;
  }

  void expect_two_values(std::size_t c) const {
    double first = std::numeric_limits<double>::quiet_NaN(), second = first;
    for (std::size_t r = 0; r < raw_.values.rows(); ++r) {
      const double value = raw_.values(r, c);
      if (std::isnan(value) || value == first || value == second) continue;
      if (!std::isnan(first) && !std::isnan(second))
        throw InputError(fmt::format(
            "{}: column {}: told to be binary, but it has more than two values: {:g}, {:g} and {:g}", source_,
            quoted_excerpt(name(c)), first, second, value));
      (std::isnan(first) ? first : second) = value;
    }
  }

  void apply_numeric_markers(std::size_t c) {
    for (const double marker : numeric_markers(options_.missing_markers))
      for (std::size_t r = 0; r < raw_.values.rows(); ++r)
        if (raw_.values(r, c) == marker) raw_.values(r, c) = std::numeric_limits<double>::quiet_NaN();
  }

  // Columns without those set aside; the first member of a group makes place for it.
  void rebuild() {
    const std::size_t columns = raw_.values.cols();
    std::vector<const GroupColumn*> group_of(columns, nullptr);
    for (const GroupColumn& group : groups_)
      for (const std::size_t member : group.members) {
        if (group_of[member])
          throw UsageError(fmt::format("column {} is named in two groups", quoted_excerpt(name(member))));
        group_of[member] = &group;
      }
    struct Source {
      std::size_t column;
      const GroupColumn* group;
    };
    std::vector<Source> sources;
    std::vector<ColumnNote> notes;
    RawTable next;
    result_.new_column.assign(columns, -1);
    for (std::size_t c = 0; c < columns; ++c) {
      const GroupColumn* group = group_of[c];
      if (group && c != group->members.front()) {
        result_.new_column[c] = result_.new_column[group->members.front()];
        continue;
      }
      if (!group && note(c).set_aside) {
        notes.push_back(std::move(note(c)));
        continue;
      }
      result_.new_column[c] = static_cast<int>(sources.size());
      next.note_of_column.push_back(notes.size());
      next.kept.push_back(group ? raw_.variables.size() : raw_.kept[c]);
      next.kinds.push_back(group ? std::optional(ColumnKind::kUnordered) : raw_.kinds[c]);
      next.levels.push_back(group ? group->levels : std::move(raw_.levels[c]));
      if (const auto faults = raw_.unreadable.find(c); faults != raw_.unreadable.end())
        next.unreadable[sources.size()] = std::move(faults->second);
      sources.push_back({c, group});
      if (group) {
        raw_.variables.push_back(group->name);
        ColumnNote about;
        about.name = group->name;
        about.reason = fmt::format("made of {} indicator columns", group->members.size());
        about.kind = ColumnKind::kUnordered;
        for (const std::size_t member : group->members) about.members.push_back(name(member));
        notes.push_back(std::move(about));
      } else {
        notes.push_back(std::move(note(c)));
      }
    }
    if (sources.empty() && columns > 0)
      throw InputError(fmt::format("{}: no column is left: {} (column {}, and likewise the others)", source_,
                                   notes.front().reason, quoted_excerpt(notes.front().name)));
    if (sources.size() != columns || !groups_.empty()) {
      Matrix<double> values(raw_.values.rows(), sources.size());
      for (std::size_t r = 0; r < values.rows(); ++r)
        for (std::size_t k = 0; k < sources.size(); ++k)
          values(r, k) = sources[k].group ? sources[k].group->values[r] : raw_.values(r, sources[k].column);
      raw_.values = std::move(values);
    }
    result_.notes = std::move(notes);
    raw_.kept = std::move(next.kept);
    raw_.kinds = std::move(next.kinds);
    raw_.levels = std::move(next.levels);
    raw_.note_of_column = std::move(next.note_of_column);
    raw_.unreadable = std::move(next.unreadable);
  }

  RawTable& raw_;
  const ReadOptions& options_;
  const std::string& source_;
  std::vector<const ColumnType*> told_;     // of every variable; nullptr: nobody said
  std::vector<const TextColumn*> text_of_;  // of every column of values
  std::vector<GroupColumn> groups_;
  SettledColumns result_;
};

}  // namespace

SettledColumns settle_columns(RawTable& raw, const ReadOptions& options, const std::string& source,
                              bool note_faults) {
  return Settling(raw, options, source).run(note_faults);
}

}  // namespace causcale
