#include "wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "discover/option_list.h"

namespace causcale::python {
namespace {

// Options whose arguments have other names, or are written differently, in Python.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kArguments{{
    {"select", "columns=..."},
    {"no-header", "header=False"},
    {"transpose", "transpose=True"},
    {"mask-inverted", "mask_inverted=True"},
    {"label-column", "interventions='COLUMN'"},
    {"missing-marker", "missing_markers=..."},
    {"method-timeout", "method_timeout=..."},
    {"group", "groups=..."},
    {"acyclic", "acyclic=True"},
}};

// A word behind these options of the readers, and behind every choice of discover, is their value.
constexpr std::array<std::string_view, 4> kReadersChoices = {"missing", "unknown-targets", "row-names",
                                                             "dates"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t end_of(std::string_view text, std::size_t from, bool (*belongs)(char)) {
  while (from < text.size() && belongs(text[from])) ++from;
  return from;
}

bool in_option(char c) {
  return (c >= 'a' && c <= 'z') || c == '-';
}
bool in_value(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool in_pair(char c) {
  return c != ' ' && c != ',' && c != ';' && c != ')' && c != '.';
}

bool takes_word(std::string_view name) {
  if (std::ranges::find(kReadersChoices, name) != kReadersChoices.end()) return true;
  return std::ranges::any_of(discover_option_list(), [&](const DiscoverOption& option) {
    return option.member.kind == OptionKind::kChoice && command_line_name(option).substr(2) == name;
  });
}

std::string argument_name(std::string_view option) {
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

std::string in_python_words(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find("--", at);
    if (begin == text.npos) break;
    const std::size_t end = end_of(text, begin + 2, in_option);
    const bool option = end > begin + 2 && text[begin + 2] != '-' && text[end - 1] != '-' &&
                        (begin == 0 || (!is_word(text[begin - 1]) && text[begin - 1] != '-')) &&
                        (end == text.size() || (text[end] != '>' && !is_word(text[end])));
    out += text.substr(at, begin - at);
    at = end;
    if (!option) {
      out += text.substr(begin, end - begin);
      continue;
    }
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const auto* special = std::find_if(kArguments.begin(), kArguments.end(),
                                       [&](const auto& entry) { return entry.first == name; });
    const std::size_t next = end + 1;  // behind the blank
    const bool more = next < text.size() && text[end] == ' ';
    if (name == "types" && more) {  // NAME=KIND
      at = end_of(text, next, in_pair);
      const std::string_view pair = text.substr(next, at - next);
      const std::size_t equals = pair.find('=');
      if (equals != pair.npos) {
        out += fmt::format("types={{'{}': '{}'}}", pair.substr(0, equals), pair.substr(equals + 1));
        continue;
      }
      at = end;
    }
    if (name == "group" && more && text.substr(next).starts_with("NAME=COLUMN,COLUMN,...")) {
      out += "groups={'NAME': ['COLUMN', 'COLUMN', ...]}";
      at = next + std::string_view("NAME=COLUMN,COLUMN,...").size();
    } else if (special != kArguments.end()) {
      out += special->second;
    } else if (more && takes_word(name)) {
      at = end_of(text, next, in_value);
      out += fmt::format("{}='{}'", argument_name(name), text.substr(next, at - next));
    } else {
      out += argument_name(name) + (begin == 0 ? "" : "=...");
    }
  }
  out += text.substr(std::min(at, text.size()));
  return out;
}

}  // namespace causcale::python
