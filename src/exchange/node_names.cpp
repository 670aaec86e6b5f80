// Names of variables where a format takes only some characters.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "exchange/escape.h"

namespace causcale {
namespace {

// What XML 1.0 calls a name character.
bool is_name_character(char32_t c) {
  if (c < 0x80)
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  constexpr char32_t kRanges[][2] = {{0xB7, 0xB7},      {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x37D},
                                     {0x37F, 0x1FFF},   {0x200C, 0x200D}, {0x203F, 0x2040}, {0x2070, 0x218F},
                                     {0x2C00, 0x2FEF},  {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFC},
                                     {0x10000, 0xEFFFF}};
  return std::ranges::any_of(kRanges, [&](const auto& range) { return range[0] <= c && c <= range[1]; });
}

bool separates_in_tetrad(char c) {
  return c == ';' || c == ',' || static_cast<unsigned char>(c) <= ' ' || c == 127;
}

}  // namespace

std::vector<std::string> tetrad_names(const std::vector<std::string>& names) {
  const auto plain = [](const std::string& name) {
    return !name.empty() && std::ranges::none_of(name, separates_in_tetrad);
  };
  std::unordered_set<std::string> taken;
  for (const std::string& name : names)
    if (plain(name)) taken.insert(name);
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (plain(name)) {
      result.push_back(name);
      continue;
    }
    std::string changed = name.empty() ? "_" : name;
    std::ranges::replace_if(changed, separates_in_tetrad, '_');
    std::string candidate = changed;
    for (int number = 2; !taken.insert(candidate).second; ++number)
      candidate = fmt::format("{}_{}", changed, number);
    result.push_back(candidate);
  }
  return result;
}

std::vector<std::string> graphml_ids(const std::vector<std::string>& names) {
  const std::unordered_set<std::string> different(names.begin(), names.end());
  const bool valid =
      different.size() == names.size() && std::ranges::all_of(names, [](const std::string& name) {
        return !name.empty() && std::ranges::all_of(decode_utf8(name), is_name_character);
      });
  if (valid) return names;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < names.size(); ++i) ids.push_back(fmt::format("n{}", i));
  return ids;
}

}  // namespace causcale
