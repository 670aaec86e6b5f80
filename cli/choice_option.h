// Options that take one of the words of a table.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>

#include "base/name_table.h"

namespace causcale::cli {

// Target: the enumeration, or an optional of it, which stays empty unless the option is given. The words
// stand in the help and are what shells complete.
template <class Target, class Choice, std::size_t N>
CLI::Option* add_named_choice(CLI::App& command, const std::string& flag, Target& target,
                              const NameTable<Choice, N>& table, const std::string& description) {
  CLI::Option* option = command.add_option_function<std::string>(
      flag, [&target, &table, flag](const std::string& word) { target = choice_named(table, word, flag); },
      description);
  option->check(CLI::IsMember(all_names(table)));
  if constexpr (std::is_same_v<Target, Choice>) option->default_str(name_of(table, target));
  return option;
}

}  // namespace causcale::cli
