// causcale completions SHELL: a script that completes commands, options and their values. Hidden, as packages
// install what it prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "command_tree.h"
#include "commands.h"

namespace causcale::cli {
namespace {

std::string quoted(const std::string& text, const char* replacement) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(replacement) : std::string(1, c);
  return result + "'";
}

std::string shell_quoted(const std::string& text) {
  return quoted(text, "'\\''");
}

// Descriptions run over several lines in places.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> option_names(const CommandSpec& command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// The part that bash and zsh share: finds `command` from the words before the cursor.
std::string command_cases(const std::vector<const CommandSpec*>& commands) {
  std::string cases;
  for (const CommandSpec* command : commands)
    for (const CommandSpec& sub : command->subcommands)
      cases += fmt::format("      (\"{}:{}\") command=\"{}\" ;;\n", command->path, sub.name, sub.path);
  return cases;
}

// "discover --device" for every option that takes a value, as a pattern of case.
std::string value_pattern(const CommandSpec& command, const OptionSpec& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names)
    patterns.push_back(fmt::format("\"{} {}\"", command.path, name));
  return fmt::format("({})", fmt::join(patterns, "|"));
}

std::string bash_script(const CommandSpec& root) {
  const auto commands = flattened(root);
  std::string script =
      "# bash completion for causcale\n"
      "_causcale() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"\" word options=\"\" subcommands=\"\"\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$command:$word\" in\n" +
      command_cases(commands) +
      "    esac\n"
      "  done\n"
      "  case \"$command $previous\" in\n";
  for (const CommandSpec* command : commands)
    for (const OptionSpec& option : command->options) {
      if (option.names.empty() || option.value.empty()) continue;
      const std::string reply = option.choices.empty() ? "compgen -f -- \"$current\""
                                                       : fmt::format("compgen -W \"{}\" -- \"$current\"",
                                                                     fmt::join(option.choices, " "));
      script += fmt::format("    {} mapfile -t COMPREPLY < <({}); return ;;\n",
                            value_pattern(*command, option), reply);
    }
  script += "  esac\n  case \"$command\" in\n";
  for (const CommandSpec* command : commands) {
    std::vector<std::string> subs;
    for (const CommandSpec& sub : command->subcommands) subs.push_back(sub.name);
    script += fmt::format("    (\"{}\") options=\"{}\"; subcommands=\"{}\" ;;\n", command->path,
                          fmt::join(option_names(*command), " "), fmt::join(subs, " "));
  }
  script +=
      "  esac\n"
      "  if [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
      "  elif [[ -n $subcommands ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$subcommands\" -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _causcale causcale\n";
  return script;
}

// "--seed:Seed of everything random"
std::string described(const std::string& name, const std::string& description) {
  return shell_quoted(name + ":" + first_line(description));
}

std::string zsh_script(const CommandSpec& root) {
  const auto commands = flattened(root);
  std::string script =
      "#compdef causcale\n"
      "_causcale() {\n"
      "  local command=\"\" word\n"
      "  local -a options subcommands\n"
      "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      "    case \"$command:$word\" in\n" +
      command_cases(commands) +
      "    esac\n"
      "  done\n"
      "  case \"$command ${words[CURRENT-1]}\" in\n";
  for (const CommandSpec* command : commands)
    for (const OptionSpec& option : command->options) {
      if (option.names.empty() || option.value.empty()) continue;
      const std::string reply =
          option.choices.empty() ? "_files" : fmt::format("compadd -- {}", fmt::join(option.choices, " "));
      script += fmt::format("    {} {}; return ;;\n", value_pattern(*command, option), reply);
    }
  script += "  esac\n  case \"$command\" in\n";
  for (const CommandSpec* command : commands) {
    script += fmt::format("    (\"{}\")\n      options=(\n", command->path);
    for (const OptionSpec& option : command->options)
      for (const std::string& name : option.names)
        script += fmt::format("        {}\n", described(name, option.description));
    script += "      )\n      subcommands=(\n";
    for (const CommandSpec& sub : command->subcommands)
      script += fmt::format("        {}\n", described(sub.name, sub.description));
    script += "      ) ;;\n";
  }
  script +=
      "  esac\n"
      "  if [[ $PREFIX == -* ]]; then\n"
      "    _describe -o option options\n"
      "  elif (( $#subcommands )); then\n"
      "    _describe command subcommands\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      "_causcale \"$@\"\n";
  return script;
}

std::string fish_quoted(const std::string& text) {
  return quoted(first_line(text), "\\'");
}

// True while the words typed so far lead to this command and to none below it.
std::string fish_condition(const CommandSpec& command) {
  std::string condition;
  std::string_view path = command.path;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(' '), path.size());
    condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (!command.subcommands.empty()) {
    std::vector<std::string> names;
    for (const CommandSpec& sub : command.subcommands) names.push_back(sub.name);
    condition += fmt::format("{}not __fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                             fmt::join(names, " "));
  }
  return condition;
}

std::string fish_script(const CommandSpec& root) {
  std::string script = "# fish completion for causcale\n";
  for (const CommandSpec* command : flattened(root)) {
    const std::string when = fish_quoted(fish_condition(*command));
    for (const CommandSpec& sub : command->subcommands)
      script += fmt::format("complete -c causcale -f -n {} -a {} -d {}\n", when, sub.name,
                            fish_quoted(sub.description));
    for (const OptionSpec& option : command->options) {
      if (option.names.empty()) continue;
      std::string line = fmt::format("complete -c causcale -n {}", when);
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      else if (!option.value.empty())
        line += " -r";
      script += fmt::format("{} -d {}\n", line, fish_quoted(option.description));
    }
  }
  return script;
}

}  // namespace

void add_completions(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completions", "Print a completion script for a shell");
  command->group("");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell] {
    const CommandSpec root = describe_commands(app);
    fmt::print("{}", *shell == "bash"  ? bash_script(root)
                     : *shell == "zsh" ? zsh_script(root)
                                       : fish_script(root));
  });
}

}  // namespace causcale::cli
