// causcale manpage: the manual page in roff, from the same source as --help. Hidden, as packages install what
// it prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_tree.h"
#include "commands.h"

namespace causcale::cli {
namespace {

// Backslashes and minus signs have a meaning in roff, and so do dots and quotes at the start of a line.
std::string roff(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    line_start = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string option_entry(const OptionSpec& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string heading = option.names.empty() ? "\\fI" + roff(option.position) + "\\fR"
                                             : fmt::format("{}", fmt::join(names, ", "));
  if (!option.names.empty() && !option.value.empty()) {
    const std::string value =
        option.choices.empty() ? option.value : fmt::format("{}", fmt::join(option.choices, "|"));
    heading += " \\fI" + roff(value) + "\\fR";
  }
  std::string text = roff(option.description);
  if (!option.fallback.empty()) text += " [" + roff(option.fallback) + "]";
  if (option.required) text += " (required)";
  return fmt::format(".TP\n{}\n{}\n", heading, text);
}

std::string synopsis(const CommandSpec& command) {
  std::string line = ".B causcale " + command.path + "\n";
  for (const OptionSpec& option : command.options)
    if (option.names.empty()) line += ".I " + roff(option.position) + "\n";
  return line + "[\\fIoptions\\fR]\n";
}

std::string command_section(const CommandSpec& command) {
  std::string text =
      fmt::format(".SS {}\n{}\n.PP\n{}", command.path, roff(command.description), synopsis(command));
  std::string group;
  for (const OptionSpec& option : command.options) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format(".PP\n\\fI{}\\fR\n", roff(group));
    }
    text += option_entry(option);
  }
  if (!command.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  return text;
}

std::string manual_page(const CommandSpec& root) {
  std::string page = fmt::format(".TH CAUSCALE 1 \"\" \"causcale {}\" \"User Commands\"\n", CAUSCALE_VERSION);
  page += ".SH NAME\ncauscale \\- from a table of observations to a causal graph\n";
  page += ".SH SYNOPSIS\n.B causcale\n.I command\n[\\fIoptions\\fR]\n";
  page += fmt::format(".SH DESCRIPTION\n{}\n.PP\nCommands:\n", roff(root.description));
  for (const CommandSpec& sub : root.subcommands)
    page += fmt::format(".TP\n.B {}\n{}\n", sub.name, roff(sub.description));
  page += ".SH COMMANDS\n";
  for (const CommandSpec* command : flattened(root))
    // A command that only leads to others has no section of its own.
    if (!command->path.empty() && !command->needs_subcommand) page += command_section(*command);
  page +=
      ".SH ENVIRONMENT\n.TP\n.B CAUSCALE_MODELS\nFolders of weight files, separated by colons, that are "
      "searched before the others: $XDG_DATA_HOME/causcale/models (~/.local/share/causcale/models), the "
      "program's own, and causcale/models in the folders of XDG_DATA_DIRS.\n"
      ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nThe input is wrong.\n.TP\n.B 2\nWrong usage.\n"
      ".TP\n.B 3\nAn internal error.\n";
  return page;
}

}  // namespace

void add_manpage(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manpage", "Print the manual page");
  command->group("");
  command->callback([&app] { fmt::print("{}", manual_page(describe_commands(app))); });
}

}  // namespace causcale::cli
