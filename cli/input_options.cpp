#include "input_options.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/byte_size.h"
#include "causcale/error.h"
#include "data/option_names.h"

namespace causcale::cli {
namespace {

constexpr const char* kStandardInput = "standard input";

char one_character(const std::string& text, const char* option) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text.size() != 1 || text[0] == '\n' || text[0] == '"')
    throw UsageError(
        fmt::format("{} takes one character, or tab, space, comma, semicolon; found \"{}\"", option, text));
  return text[0];
}

std::size_t row_number(std::string_view text, const std::string& whole) {
  std::size_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size())
    throw UsageError(fmt::format(
        "--rows takes FIRST:END (0-based, END not included), e.g. 0:1000 or 100:; found \"{}\"", whole));
  return value;
}

template <class Choice, std::size_t N>
CLI::IsMember one_of(const NameTable<Choice, N>& names) {
  return CLI::IsMember(all_names(names));
}

}  // namespace

void add_input_options(CLI::App& command, InputOptions& options,
                       std::vector<std::filesystem::path>* several) {
  const std::string meaning =
      "Table: .csv .tsv .txt (.gz) .npy .npz .h5ad, or - for text from standard input; rows are samples, "
      "columns variables";
  if (several)
    command.add_option("DATA", *several, meaning + "; several with --out-dir")->required();
  else
    command.add_option("DATA", options.data, meaning)->required();
  add_reading_options(command, options);
}

void add_reading_options(CLI::App& command, InputOptions& options) {
  const std::string table = "Reading the table";
  command
      .add_flag("--no-header", options.no_header,
                "The first line holds data; variables are called X0, X1, ...")
      ->group(table);
  command
      .add_option("--delimiter", options.delimiter,
                  "One character, or tab, space, comma, semicolon; found out by default")
      ->group(table);
  command.add_option("--comment", options.comment, "Skip lines that begin with this character")->group(table);
  command.add_option("--row-names", options.row_names, "The first column holds row names")
      ->check(one_of(kRowNameNames))
      ->capture_default_str()
      ->group(table);
  command
      .add_option(
          "--missing-marker", options.missing_markers,
          "A cell that stands for a missing value, besides empty, NA, NaN, null, - and ? (repeatable)")
      ->allow_extra_args(false)  // a repeatable option must not swallow DATA
      ->group(table);
  command
      .add_option("--missing", options.missing,
                  "Missing values: keep them for the method, which says what it does with them; drop the "
                  "row; fill in "
                  "the mean (of words the most frequent); or take them for an error")
      ->check(one_of(kMissingNames))
      ->capture_default_str()
      ->group(table);
  command
      .add_option(
          "--types", options.types,
          "Kinds of columns, NAME=KIND,... or @FILE with lines NAME,KIND; kinds: continuous, count, binary, "
          "ordered (or ordered:low<middle<high), unordered, identifier, date (repeatable)")
      ->allow_extra_args(false)
      ->group(table);
  command
      .add_option("--group", options.groups,
                  "NAME=COLUMN,COLUMN,...: these 0/1 columns are one variable of categories (repeatable)")
      ->allow_extra_args(false)
      ->group(table);
  command
      .add_option("--dates", options.dates,
                  "Columns of dates: set them aside, or count days since 1970-01-01")
      ->check(one_of(kDateNames))
      ->capture_default_str()
      ->group(table);
  command
      .add_option("--select", options.select,
                  "Use these columns only (names or 0-based indices, comma-separated)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(table);
  command
      .add_option("--exclude", options.exclude,
                  "Leave these columns out (names or 0-based indices, comma-separated)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(table);
  command.add_option("--rows", options.rows, "FIRST:END, 0-based, END not included")->group(table);
  command.add_flag("--transpose", options.transpose, "The file has variables in rows and samples in columns")
      ->group(table);
  command.add_option("--npz-key", options.npz_key, "Array of the .npz file that holds the data")
      ->group(table);
  command.add_option("--layer", options.layer, "Layer of the .h5ad file, instead of X")->group(table);

  const std::string interventions = "Interventions";
  command
      .add_option("--interventions", options.interventions,
                  "File with the interventions (see docs/input_formats.md)")
      ->group(interventions);
  command.add_option("--interventions-kind", options.interventions_kind, "What that file is")
      ->check(one_of(kInterventionKindNames))
      ->capture_default_str()
      ->group(interventions);
  command.add_flag("--mask-inverted", options.mask_inverted, "In the mask, 0 means intervened")
      ->group(interventions);
  command.add_option("--targets", options.targets, "Targets of every regime, for a file of regime numbers")
      ->group(interventions);
  command
      .add_option("--index-base", options.index_base,
                  "Number of the first variable and regime in intervention files")
      ->check(CLI::Range(0, 1))
      ->capture_default_str()
      ->group(interventions);
  command
      .add_option("--label-column", options.label_column,
                  "Column (.h5ad: obs column) that names each row's targets")
      ->group(interventions);
  command
      .add_option("--control", options.control_labels,
                  "Label of rows without intervention, instead of obs, observational, control, ctrl, "
                  "non-targeting, none (repeatable)")
      ->allow_extra_args(false)
      ->group(interventions);
  command
      .add_option("--unknown-targets", options.unknown_targets,
                  "Targets that are no variables: stop, ignore them, or drop their rows")
      ->check(one_of(kUnknownTargetNames))
      ->capture_default_str()
      ->group(interventions);
}

std::string describe(const InputOptions& options) {
  return nlohmann::json({options.no_header,
                         options.delimiter,
                         options.comment,
                         options.row_names,
                         options.missing_markers,
                         options.select,
                         options.exclude,
                         options.rows,
                         options.transpose,
                         options.missing,
                         options.interventions_kind,
                         options.mask_inverted,
                         options.index_base,
                         options.label_column,
                         options.control_labels,
                         options.unknown_targets,
                         options.npz_key,
                         options.layer,
                         options.types,
                         options.groups,
                         options.dates})
      .dump();
}

ReadOptions read_options(const InputOptions& options) {
  ReadOptions result;
  result.header = !options.no_header;
  if (!options.delimiter.empty()) result.delimiter = one_character(options.delimiter, "--delimiter");
  if (!options.comment.empty()) result.comment = one_character(options.comment, "--comment");
  result.row_names = choice_named(kRowNameNames, options.row_names, "--row-names");
  result.missing_markers = options.missing_markers;
  result.select = options.select;
  result.exclude = options.exclude;
  if (!options.rows.empty()) {
    const auto colon = options.rows.find(':');
    if (colon == std::string::npos) row_number("", options.rows);
    const std::string first = options.rows.substr(0, colon), end = options.rows.substr(colon + 1);
    if (!first.empty()) result.row_begin = row_number(first, options.rows);
    if (!end.empty()) result.row_end = row_number(end, options.rows);
  }
  result.transpose = options.transpose;
  result.missing = choice_named(kMissingNames, options.missing, "--missing");
  for (const std::string& list : options.types) {
    const std::vector<ColumnType> types = list.starts_with('@')
                                              ? read_column_types(std::filesystem::path(list.substr(1)))
                                              : parse_column_types(list);
    result.types.insert(result.types.end(), types.begin(), types.end());
  }
  for (const std::string& group : options.groups) result.groups.push_back(parse_column_group(group));
  result.dates_as_numbers = choice_named(kDateNames, options.dates, "--dates");
  result.label_column = options.label_column;
  result.npz_key = options.npz_key;
  result.h5ad_layer = options.layer;
  result.max_bytes = options.max_bytes;
  result.threads = options.threads;
  result.interventions.file = options.interventions;
  result.interventions.kind =
      choice_named(kInterventionKindNames, options.interventions_kind, "--interventions-kind");
  result.interventions.inverted = options.mask_inverted;
  result.interventions.targets_file = options.targets;
  result.interventions.index_base = options.index_base;
  if (!options.control_labels.empty()) result.interventions.control_labels = options.control_labels;
  result.interventions.unknown =
      choice_named(kUnknownTargetNames, options.unknown_targets, "--unknown-targets");
  return result;
}

void take_standard_input(InputOptions& options) {
  if (options.data != "-") return;
  const auto fail = [](const char* what) {
    throw InputError(fmt::format("{}: cannot {}: {}", kStandardInput, what, std::strerror(errno)));
  };
  // Files are read more than once, which a pipe does not allow. The file stays open until the program ends.
  const int file = memfd_create(kStandardInput, MFD_CLOEXEC);
  if (file < 0) fail("keep");
  std::vector<char> buffer(std::size_t{1} << 16);
  // It lies in memory, and may never end.
  const std::size_t limit = reading_limit(options.max_bytes);
  std::size_t kept = 0;
  for (;;) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) break;
    kept += static_cast<std::size_t>(count);
    if (kept > limit)
      throw InputError(fmt::format("{}: more than {}, which is all the memory that may be used",
                                   kStandardInput, format_byte_size(limit)));
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = write(file, buffer.data() + done, static_cast<std::size_t>(count - done));
      if (written < 0 && errno != EINTR) fail("keep");
      if (written > 0) done += written;
    }
  }
  options.data = fmt::format("/proc/self/fd/{}", file);
  options.standard_input = true;
}

std::string data_name(const InputOptions& options) {
  return options.standard_input ? kStandardInput : options.data.string();
}

Dataset read_input(const InputOptions& options, ReadNotes* notes) {
  if (!options.standard_input) return read_dataset(options.data, read_options(options), notes);
  const auto renamed = [&](std::string message) {
    for (std::size_t at; (at = message.find(options.data.string())) != message.npos;)
      message.replace(at, options.data.string().size(), kStandardInput);
    return message;
  };
  try {
    return read_dataset(options.data, read_options(options), notes);
  } catch (const InputError& error) {
    throw InputError(renamed(error.what()));
  } catch (const UsageError& error) {
    throw UsageError(renamed(error.what()));
  }
}

}  // namespace causcale::cli
