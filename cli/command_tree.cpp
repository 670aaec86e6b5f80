#include "command_tree.h"

namespace causcale::cli {
namespace {

// "TEXT:{auto,cpu,cuda}" -> auto, cpu, cuda
std::vector<std::string> listed_choices(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(type.find(',', begin), close);
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

OptionSpec describe_option(const CLI::Option& option) {
  OptionSpec spec;
  for (const std::string& name : option.get_lnames()) spec.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) spec.names.push_back("-" + name);
  if (option.get_positional()) spec.position = option.get_name(true);
  spec.description = option.get_description();
  spec.group = option.get_group();
  spec.required = option.get_required();
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    spec.choices = listed_choices(type);
    // Checks add to the type: "INT:INT in [0 - 4096]", "TEXT:{...}".
    spec.value = type.substr(0, type.find(':'));
    if (spec.value.empty()) spec.value = "VALUE";
    spec.fallback = option.get_default_str();
  }
  return spec;
}

CommandSpec describe_command(const CLI::App& app, const std::string& path) {
  CommandSpec spec{
      path, path.empty() ? "causcale" : app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty()) spec.options.push_back(describe_option(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty())
      spec.subcommands.push_back(
          describe_command(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name()));
  return spec;
}

void flatten(const CommandSpec& command, std::vector<const CommandSpec*>& list) {
  list.push_back(&command);
  for (const CommandSpec& sub : command.subcommands) flatten(sub, list);
}

}  // namespace

CommandSpec describe_commands(const CLI::App& app) {
  return describe_command(app, "");
}

std::vector<const CommandSpec*> flattened(const CommandSpec& root) {
  std::vector<const CommandSpec*> list;
  flatten(root, list);
  return list;
}

}  // namespace causcale::cli
