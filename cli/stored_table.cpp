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

class ColumnNotThere : public InputError {
 public:
  ColumnNotThere(const std::string& message, std::string column)
      : InputError(message), name(std::move(column)) {}
  std::string name;
};

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

// A column that the reader set aside is there all the same: the error says why it is no variable.
Dataset read_variables(const InputOptions& options, const std::vector<std::string>& names) {
  try {
    return with_columns(read_input(options), names, data_name(options));
  } catch (const ColumnNotThere& error) {
    ReadNotes notes;
    read_input(options, &notes);
    for (const ColumnNote& note : notes.columns)
      if (note.name == error.name && note.set_aside)
        throw InputError(
            fmt::format("{}: column '{}' is a variable of the graph, but no column to reckon with: {}",
                        data_name(options), note.name, note.reason));
    throw;
  }
}

}  // namespace

Dataset with_columns(Dataset dataset, const std::vector<std::string>& names, const std::string& file) {
  const Table& table = dataset.table;
  if (table.names == names) return dataset;
  const std::size_t n = names.size();
  // An intervention on a column that is no variable still makes its rows no observational ones.
  std::vector<int> place(table.cols(), static_cast<int>(n));
  std::vector<std::size_t> from;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(table.names, name);
    if (found == table.names.end())
      throw ColumnNotThere(
          fmt::format("{}: there is no column '{}', which is a variable of the graph", file, name), name);
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

Dataset read_stored_table(const StoredResult& stored, InputOptions options, bool quiet) {
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
  Dataset dataset = read_variables(options, stored.result.names);
  require_value_range(dataset.table, data_name(options) + ": ");
  if (stored.result.transform == "log1p") take_logarithms_as_stored(dataset.table, data_name(options) + ", ");
  return dataset;
}

}  // namespace causcale::cli
