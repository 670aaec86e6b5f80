#include "base/excerpt.h"

#include <fmt/format.h>

namespace causcale {

std::string quoted_excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kLongest)) {
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  if (text.size() > kLongest) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80))
      out.pop_back();  // no half characters
    out += "...";
  }
  return out + '"';
}

}  // namespace causcale
