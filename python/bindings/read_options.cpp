#include "read_options.h"

#include "data/columns.h"

namespace causcale::python {
namespace {

template <class T>
T get(const py::dict& given, const char* name) {
  return py::cast<T>(given[name]);
}

template <class Choice, std::size_t N>
Choice choice(const py::dict& given, const char* name, const NameTable<Choice, N>& table) {
  const auto word = get<std::string>(given, name);
  if (const auto found = find_choice(table, word)) return *found;
  throw UsageError(fmt::format("{}='{}' is not known; accepted: {}", name, word, list_names(table)));
}

}  // namespace

ReadOptions table_options(const py::dict& given) {
  using Type = std::tuple<std::string, std::string, std::vector<std::string>>;
  using Group = std::pair<std::string, std::vector<std::string>>;
  ReadOptions options;
  options.missing = choice(given, "missing", kMissingNames);
  options.missing_markers = get<std::vector<std::string>>(given, "missing_markers");
  options.dates_as_numbers = choice(given, "dates", kDateNames);
  for (auto& [column, kind, order] : get<std::vector<Type>>(given, "types"))
    options.types.push_back({column, choice_named(kColumnKindNames, kind, "types"), order});
  for (auto& [name, members] : get<std::vector<Group>>(given, "groups"))
    options.groups.push_back({name, members});
  options.threads = 0;
  return options;
}

ReadOptions file_options(const py::dict& given) {
  ReadOptions options = table_options(given);
  options.header = get<bool>(given, "header");
  options.row_names = choice(given, "row_names", kRowNameNames);
  options.select = get<std::vector<std::string>>(given, "columns");
  options.exclude = get<std::vector<std::string>>(given, "exclude");
  options.transpose = get<bool>(given, "transpose");
  options.label_column = get<std::string>(given, "label_column");
  options.interventions.file = get<std::filesystem::path>(given, "interventions");
  options.interventions.inverted = get<bool>(given, "mask_inverted");
  if (const auto labels = get<std::optional<std::vector<std::string>>>(given, "control"))
    options.interventions.control_labels = *labels;
  options.interventions.unknown = choice(given, "unknown_targets", kUnknownTargetNames);
  options.h5ad_layer = get<std::string>(given, "layer");
  options.npz_key = get<std::string>(given, "npz_key");
  return options;
}

}  // namespace causcale::python
