// Tables from files and from columns in memory, with the audit of what was found.
#include <limits>
#include <numeric>

#include "arrays.h"
#include "causcale/error.h"
#include "data/audit.h"
#include "data/raw_table.h"
#include "read_options.h"
#include "topics.h"
#include "wording.h"

namespace causcale::python {
namespace {

py::list list_from(const AuditReport& report) {
  py::list result;
  for (const Finding& finding : report.findings) {
    py::dict entry;
    entry["severity"] = std::string(severity_name(finding.severity));
    entry["code"] = finding.code;
    entry["columns"] = finding.columns;
    entry["message"] = in_python_words(finding.message);
    entry["hint"] = in_python_words(finding.hint);
    result.append(entry);
  }
  return result;
}

py::list list_from(const std::vector<ColumnNote>& columns) {
  py::list result;
  for (const ColumnNote& column : columns) {
    py::dict entry;
    entry["name"] = column.name;
    entry["kind"] = name_of(kColumnKindNames, column.kind);
    entry["reason"] = column.reason;
    entry["set_aside"] = column.set_aside;
    entry["levels"] = column.levels;
    entry["missing"] = column.missing;
    result.append(entry);
  }
  return result;
}

// The table, what was understood of its columns, and what is remarkable: about the table as a whole
// (findings), and only about how it was read (noticed).
py::dict dict_from(const Dataset& dataset, const AuditReport& found, const AuditReport& noticed,
                   const ReadNotes& notes) {
  py::dict result = python::dict_from(dataset);
  result["columns"] = list_from(notes.columns);
  result["findings"] = list_from(found);
  result["noticed"] = list_from(noticed);
  return result;
}

// `strict`: faults of the file are thrown instead of being listed.
py::dict read(const std::filesystem::path& path, const py::dict& given, bool strict) {
  const ReadOptions options = file_options(given);
  Dataset dataset;
  ReadNotes notes;
  AuditReport found, noticed;
  {
    py::gil_scoped_release unlocked;
    dataset = read_dataset(path, options, &notes);
    noticed = audit_reading(dataset, path.string(), notes);
    if (strict) noticed.throw_if_errors();
    found = audit(dataset, path.string(), &notes);
  }
  return dict_from(dataset, found, noticed, notes);
}

// (column, its different words, which of them stands in each row)
using Words = std::tuple<std::size_t, std::vector<std::string>, std::vector<std::uint32_t>>;

// A table in memory takes the same steps as one from a file. Where `words` says something about a column, its
// numbers do not count. The levels of a column stay as they are. `dropped` are rows to be left out.
py::dict settle(const py::dict& table, std::vector<Words> words, const std::vector<std::size_t>& dropped,
                const py::dict& given) {
  Dataset dataset = dataset_from(table);
  const ReadOptions options = table_options(given);
  RawTable raw;
  raw.variables = dataset.table.names;
  raw.kept.resize(raw.variables.size());
  std::iota(raw.kept.begin(), raw.kept.end(), std::size_t{0});
  raw.values = std::move(dataset.table.values);
  raw.levels = std::move(dataset.table.levels);
  if (raw.kept.empty()) throw InputError("the table has no columns");
  for (const double marker : numeric_markers(options.missing_markers))
    for (std::size_t c = 0; c < raw.kept.size(); ++c)
      for (std::size_t r = 0; r < raw.values.rows() && (raw.levels.empty() || raw.levels[c].empty()); ++r)
        if (raw.values(r, c) == marker) raw.values(r, c) = std::numeric_limits<double>::quiet_NaN();
  for (auto& [column, distinct, code] : words)
    raw.texts.push_back({column, {std::move(distinct), std::move(code)}});
  ParsedInterventions parsed;
  parsed.interventions = std::move(dataset.interventions);
  if (parsed.interventions.regime_of_row.empty())
    parsed.interventions = {{{}}, std::vector<int>(raw.values.rows(), 0)};
  parsed.dropped_rows = dropped;
  ReadNotes notes;
  notes.interventions_given = !table["targets"].is_none();
  AuditReport found, noticed;
  {
    py::gil_scoped_release unlocked;
    dataset = settle_table(std::move(raw), std::move(parsed), options, "the table", &notes);
    noticed = audit_reading(dataset, "the table", notes);
    found = audit(dataset, "the table", &notes);
  }
  return dict_from(dataset, found, noticed, notes);
}

}  // namespace

void add_tables(py::module_& module) {
  using namespace py::literals;
  module.def("read", &read, "path"_a, "options"_a, "strict"_a);
  module.def("settle", &settle, "table"_a, "words"_a, "dropped"_a, "options"_a);
}

}  // namespace causcale::python
