// The words by which users and files call the values of an enumeration.
#pragma once

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "causcale/error.h"

namespace causcale {

template <class Choice, std::size_t N>
using NameTable = std::array<std::pair<Choice, std::string_view>, N>;

template <class Choice, std::size_t N>
std::string name_of(const NameTable<Choice, N>& table, Choice choice) {
  for (const auto& [value, name] : table)
    if (value == choice) return std::string(name);
  throw UsageError("a choice without a name");
}

template <class Choice, std::size_t N>
std::vector<std::string> all_names(const NameTable<Choice, N>& table) {
  std::vector<std::string> names;
  for (const auto& [value, name] : table) names.emplace_back(name);
  return names;
}

template <class Choice, std::size_t N>
std::string list_names(const NameTable<Choice, N>& table) {
  std::string list;
  for (const auto& [value, name] : table) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

template <class Choice, std::size_t N>
std::optional<Choice> find_choice(const NameTable<Choice, N>& table, std::string_view word) {
  for (const auto& [value, name] : table)
    if (name == word) return value;
  return std::nullopt;
}

// `what` says in the message what the word was meant for, such as "mechanism".
template <class Choice, std::size_t N>
Choice choice_named(const NameTable<Choice, N>& table, std::string_view word, std::string_view what) {
  if (const std::optional<Choice> found = find_choice(table, word)) return *found;
  throw UsageError(fmt::format("unknown {} '{}'; accepted: {}", what, word, list_names(table)));
}

}  // namespace causcale
