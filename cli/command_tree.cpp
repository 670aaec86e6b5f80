#include "command_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "suggest.h"

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
      path, path.empty() ? "causcale" : app.get_name(), app.get_description(), app.get_footer(), {}, {},
      false};
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty()) spec.options.push_back(describe_option(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty())
      spec.subcommands.push_back(
          describe_command(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name()));
  spec.needs_subcommand = app.get_require_subcommand_min() > 0;
  return spec;
}

void flatten(const CommandSpec& command, std::vector<const CommandSpec*>& list) {
  list.push_back(&command);
  for (const CommandSpec& sub : command.subcommands) flatten(sub, list);
}

const CLI::App* subcommand_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

std::vector<std::string> shown_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
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

CLI::Validator any_case(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& given) {
        for (const std::string& word : words)
          if (same_word(given, word)) given = word;
        return std::string();
      },
      "");
}

void accept_any_case(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; }))
    if (std::vector<std::string> words = listed_choices(option->get_type_name()); !words.empty())
      option->transform(any_case(std::move(words)));
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) accept_any_case(*sub);
}

Misunderstanding find_misunderstanding(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* at = &app;
  std::string path = "causcale";
  std::size_t next = 0;
  for (; next < arguments.size() && !arguments[next].starts_with('-'); ++next) {
    const std::string& word = arguments[next];
    if (const CLI::App* sub = subcommand_named(*at, word)) {
      at = sub;
      path += ' ' + word;
      continue;
    }
    if (at->get_require_subcommand_min() == 0) break;
    std::error_code error;
    if (at == &app && std::filesystem::is_regular_file(word, error))
      return {fmt::format("there is no command '{}', but a file", word),
              fmt::format("did you mean 'causcale discover {}'? All commands: causcale --help", word)};
    const std::string meant = nearest_word(word, shown_commands(*at));
    return {fmt::format("there is no command '{}'", word),
            meant.empty() ? fmt::format("the commands are listed by: {} --help", path)
                          : fmt::format("did you mean '{}'? All commands: {} --help", meant, path)};
  }
  const std::vector<std::string> known = long_options(*at);
  for (; next < arguments.size(); ++next) {
    if (arguments[next] == "--") break;
    const std::string option = arguments[next].substr(0, arguments[next].find('='));
    if (!option.starts_with("--") || std::ranges::find(known, option) != known.end()) continue;
    const std::string meant = nearest_word(option, known);
    return {fmt::format("there is no option '{}'", option),
            meant.empty() ? fmt::format("the options are listed by: {} --help", path)
                          : fmt::format("did you mean '{}'? All options: {} --help", meant, path)};
  }
  return {};
}

}  // namespace causcale::cli
