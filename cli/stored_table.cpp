#include "stored_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "causcale/error.h"
#include "commands.h"
#include "data/value_range.h"
#include "discover/transform.h"

namespace causcale::cli {
namespace {

// The words of a command line as the record keeps it: separated by blanks, quoted by '...' where needed.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false, quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (!quoted && c == ' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == '\'')
      quoted = !quoted;
    else if (!quoted && c == '\\' && k + 1 < line.size())
      words.back() += line[++k];
    else
      words.back() += c;
  }
  return words;
}

// How the stored command read its table; the options that say nothing about that are passed over.
InputOptions reading_of(const std::string& command) {
  InputOptions options;
  CLI::App app;
  add_reading_options(app, options);
  app.allow_extras();
  std::vector<std::string> words = words_of(command);
  std::ranges::reverse(words);
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError&) {
    return {};
  }
  return options;
}

// A column that the reader set aside is there all the same: the error says why it is not a variable.
Dataset read_variables(const InputOptions& options, const std::vector<std::string>& names,
                       std::vector<std::string>* absent) {
  Dataset dataset = read_input(options);
  const auto has_column = [&](const std::string& name) {
    return std::ranges::find(dataset.table.names, name) != dataset.table.names.end();
  };
  if (!std::ranges::all_of(names, has_column)) {
    ReadNotes notes;
    read_input(options, &notes);
    for (const ColumnNote& note : notes.columns)
      if (note.set_aside && std::ranges::find(names, note.name) != names.end())
        throw InputError(
            fmt::format("{}: column '{}' is a variable of the graph, but not one that can be used: {}",
                        data_name(options), note.name, note.reason));
  }
  return with_columns(std::move(dataset), names, data_name(options), absent);
}

}  // namespace

Dataset with_columns(Dataset dataset, const std::vector<std::string>& wanted, const std::string& file,
                     std::vector<std::string>* absent) {
  const Table& table = dataset.table;
  if (table.names == wanted) return dataset;
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    if (std::ranges::find(table.names, name) != table.names.end())
      names.push_back(name);
    else if (absent)
      absent->push_back(name);
    else
      throw InputError(
          fmt::format("{}: there is no column '{}', which is a variable of the graph", file, name));
  }
  const std::size_t n = names.size();
  // An intervention on a column that is not a variable still makes its rows other than observational: it gets
  // a number that no variable has. Variables that count as not measured are numbered behind the columns.
  constexpr int kNoVariable = 1 << 30;
  std::vector<int> place(table.cols(), kNoVariable);
  for (std::size_t k = 0; absent && k < absent->size(); ++k) {
    const auto found = std::ranges::find(table.names, (*absent)[k]);
    if (found != table.names.end())
      place[static_cast<std::size_t>(found - table.names.begin())] = static_cast<int>(n + k);
  }
  std::vector<std::size_t> from;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(table.names, name);
    place[static_cast<std::size_t>(found - table.names.begin())] = static_cast<int>(from.size());
    from.push_back(static_cast<std::size_t>(found - table.names.begin()));
  }
  Table ordered;
  ordered.names = names;
  ordered.values = Matrix<double>(table.rows(), n);
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (std::size_t c = 0; c < n; ++c) ordered.values(r, c) = table.values(r, from[c]);
  for (std::size_t c = 0; c < n && !table.kinds.empty(); ++c) ordered.kinds.push_back(table.kinds[from[c]]);
  for (std::size_t c = 0; c < n && !table.levels.empty(); ++c)
    ordered.levels.push_back(table.levels[from[c]]);
  for (std::vector<int>& regime : dataset.interventions.regimes) {
    for (int& target : regime) target = place[static_cast<std::size_t>(target)];
    std::ranges::sort(regime);
  }
  return {std::move(ordered), std::move(dataset.interventions)};
}

Dataset read_stored_table(const StoredResult& stored, InputOptions options, bool quiet,
                          std::vector<std::string>* absent) {
  take_standard_input(options);
  if (options.data.empty()) {
    if (stored.record.data_file.empty())
      throw UsageError("no table is known for this graph: name one with --data");
    const bool told =
        describe(options) != describe({}) || !options.interventions.empty() || !options.targets.empty();
    if (!told) {
      const int threads = options.threads;
      options = reading_of(stored.record.command);
      options.threads = threads;
    }
    options.data = stored.record.data_file;
    if (!std::filesystem::exists(options.data))
      throw InputError(
          fmt::format("{}, of which the result was made, is not there: say with --data where it is",
                      options.data.string()));
  }
  if (!quiet && !stored.record.data_sha256.empty() &&
      sha256_of_file(options.data) != stored.record.data_sha256)
    print_remark("warning", fmt::format("{} is not the file that the result was made of", data_name(options)),
                 "the graph was found in another table");
  Dataset dataset = read_variables(options, stored.result.names, absent);
  require_value_range(dataset.table, data_name(options) + ": ");
  if (stored.result.transform == "log1p") take_logarithms_as_stored(dataset.table, data_name(options) + ", ");
  return dataset;
}

}  // namespace causcale::cli
