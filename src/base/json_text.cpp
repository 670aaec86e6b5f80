#include "base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {
namespace {

// The parser's call stack does not grow with nesting, but that of writing and copying would.
constexpr std::size_t kMostNesting = 200;
// A key is looked for among all others of its object: time grows with the square of their number.
constexpr std::size_t kMostMembers = 20'000;

// Where the comment at `at` ends: its last character.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const bool line = text[at + 1] == '/';
  const std::size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
  return end == text.npos ? text.size() : line ? end : end + 1;
}

}  // namespace

void require_tame_json(std::string_view text, const std::string& path, bool comments) {
  std::vector<std::size_t> members;  // of the objects and lists that are open
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto refuse = [&](const char* problem) {
      throw InputError(fmt::format("{}, line {}: {}", path,
                                   1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'),
                                   problem));
    };
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (comments && c == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*')) {
      at = end_of_comment(text, at);
    } else if (c == '[' || c == '{') {
      if (members.size() == kMostNesting) refuse("JSON that is nested too deeply");
      members.push_back(0);
    } else if ((c == ']' || c == '}') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty() && ++members.back() > kMostMembers) {
      refuse("a JSON object with more members than any that is read here");
    }
  }
}

nlohmann::ordered_json parse_json(std::string_view text, const std::string& path) {
  text = without_byte_order_mark(text);
  require_tame_json(text, path);
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<long>(std::min(error.byte, text.size()));
    throw InputError(
        fmt::format("{}, line {}: this is no valid JSON", path, 1 + std::count(text.begin(), end, '\n')));
  } catch (const nlohmann::json::exception& error) {  // a number beyond all numbers
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && text.find('\0') == text.npos;
}

std::string shortened(const nlohmann::ordered_json& value) {
  const std::string text = value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

}  // namespace causcale
