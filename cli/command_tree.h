// The command line as data: what --help shows, for completions and the manual page. New commands and options
// appear in both by themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace causcale::cli {

struct OptionSpec {
  std::vector<std::string> names;  // "--seed", "-q"; empty for an argument by position
  std::string position;            // "DATA"; empty for an option
  std::string description;
  std::string group;                 // the heading under which --help shows it
  std::string value;                 // what it takes, such as TEXT; empty for a flag
  std::string fallback;              // the value when nothing is said
  std::vector<std::string> choices;  // the accepted words, where they are listed
  bool required = false;
};

struct CommandSpec {
  std::string path;  // "simulate synthetic"; empty for the program itself
  std::string name;  // "synthetic"
  std::string description;
  std::string footer;
  std::vector<OptionSpec> options;
  std::vector<CommandSpec> subcommands;
  bool needs_subcommand = false;  // it does nothing by itself
};

// Hidden commands and options (those of the group "") are left out.
CommandSpec describe_commands(const CLI::App& app);

// The program and all commands, depth first.
std::vector<const CommandSpec*> flattened(const CommandSpec& root);

// Makes every option that lists its words take them in upper and lower case, here and in all subcommands.
void accept_any_case(CLI::App& app);
// The same for one option: a word that is listed but for its case becomes the listed one, others stay.
CLI::Validator any_case(std::vector<std::string> words);

// Why a command line that could not be parsed was probably not understood: "there is no command 'dicover'"
// and "did you mean 'discover'?". Empty when it is neither a command nor an option that does not exist.
struct Misunderstanding {
  std::string message, hint;
};
Misunderstanding find_misunderstanding(const CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace causcale::cli
