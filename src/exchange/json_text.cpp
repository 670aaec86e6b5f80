#include "exchange/json_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {

nlohmann::ordered_json parse_json(std::string_view text, const std::string& path) {
  text = without_byte_order_mark(text);
  // The parser's call stack does not grow with nesting, but what frees the value would.
  constexpr std::size_t kMostNesting = 200;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostNesting)
        throw InputError(
            fmt::format("{}, line {}: JSON that is nested too deeply", path,
                        1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')));
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<long>(std::min(error.byte, text.size()));
    throw InputError(
        fmt::format("{}, line {}: this is no valid JSON", path, 1 + std::count(text.begin(), end, '\n')));
  }
}

std::string shortened(const nlohmann::ordered_json& value) {
  const std::string text = value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

}  // namespace causcale
