#include "data/xml_scanner.h"

#include <charconv>
#include <cstdint>

namespace causcale {
namespace {

std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 63));
    out += static_cast<char>(0x80 | (code >> 6 & 63));
    out += static_cast<char>(0x80 | (code & 63));
  }
}

// The entity between & and ;, appended; false where it is none.
bool append_entity(std::string_view entity, std::string& out) {
  if (entity == "amp") return out += '&', true;
  if (entity == "lt") return out += '<', true;
  if (entity == "gt") return out += '>', true;
  if (entity == "quot") return out += '"', true;
  if (entity == "apos") return out += '\'', true;
  if (!entity.starts_with('#')) return false;
  entity.remove_prefix(1);
  const bool hexadecimal = entity.starts_with('x');
  if (hexadecimal) entity.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(entity.data(), entity.data() + entity.size(), code, hexadecimal ? 16 : 10);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (error != std::errc() || end != entity.data() + entity.size() || code == 0 || code > 0x10FFFF ||
      surrogate)
    return false;
  append_utf8(code, out);
  return true;
}

}  // namespace

std::string without_entities(std::string_view text) {
  constexpr std::size_t kLongestEntity = 10;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.substr(0, at + kLongestEntity).find(';', at) : text.npos;
    if (end != text.npos && append_entity(text.substr(at + 1, end - at - 1), out))
      at = end;
    else
      out += text[at];
  }
  return out;
}

bool XmlScanner::next() {
  for (;;) {
    const std::size_t begin = rest_.find('<');
    if (begin == rest_.npos) return false;
    rest_.remove_prefix(begin);
    if (rest_.starts_with("<!--")) {
      const std::size_t end = rest_.find("-->");
      if (end == rest_.npos) return false;
      rest_.remove_prefix(end + 3);
      continue;
    }
    // A > within quotes belongs to the attribute.
    char quote = '\0';
    std::size_t end = 1;
    for (; end < rest_.size() && (quote != '\0' || rest_[end] != '>'); ++end) {
      if (quote != '\0')
        quote = rest_[end] == quote ? '\0' : quote;
      else if (rest_[end] == '"' || rest_[end] == '\'')
        quote = rest_[end];
    }
    if (end == rest_.size()) return false;
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    closing_ = tag.starts_with('/');
    if (closing_) tag.remove_prefix(1);
    empty_ = tag.ends_with('/');
    if (empty_) tag.remove_suffix(1);
    const std::size_t blank = std::min(tag.find_first_of(" \t\r\n"), tag.size());
    name_ = without_prefix(tag.substr(0, blank));
    attributes_ = tag.substr(blank);
    return true;
  }
}

std::optional<std::string> XmlScanner::attribute(std::string_view name) const {
  std::string_view left = attributes_;
  for (;;) {
    const std::size_t begin = left.find_first_not_of(" \t\r\n");
    const std::size_t equals = left.find('=');
    if (begin == left.npos || equals == left.npos || equals < begin) return {};
    std::string_view key = left.substr(begin, equals - begin);
    key = key.substr(0, key.find_last_not_of(" \t\r\n") + 1);
    const std::size_t open = left.find_first_of("\"'", equals);
    if (open == left.npos) return {};
    const std::size_t close = left.find(left[open], open + 1);
    if (close == left.npos) return {};
    if (without_prefix(key) == name) return without_entities(left.substr(open + 1, close - open - 1));
    left.remove_prefix(close + 1);
  }
}

std::string XmlScanner::text() const {
  return without_entities(rest_.substr(0, rest_.find('<')));
}

}  // namespace causcale
