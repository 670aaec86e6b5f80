#include "base/text_encoding.h"

#include <cstddef>
#include <cstdint>

#include "base/file.h"

namespace causcale {
namespace {

// Bytes 0x80 to 0x9F of Windows-1252; the five that it leaves open stay control characters.
constexpr std::uint16_t kWindows[32] = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append_utf8(std::uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                               : (lead & 0xF0) == 0xE0       ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || at + length > text.size()) return false;
    std::uint32_t code = lead & (0x7Fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[at + k]);
      if ((byte & 0xC0) != 0x80) return false;
      code = code << 6 | (byte & 0x3F);
    }
    if (length == 3 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) return false;
    if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return false;
    at += length;
  }
  return true;
}

bool make_utf8(std::string& text) {
  if (is_utf8(text)) return false;
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80] : byte, result);
  }
  text = std::move(result);
  return true;
}

std::string_view as_utf8(std::string_view text, std::string& kept) {
  text = without_byte_order_mark(text);
  if (is_utf8(text)) return text;
  kept = text;
  make_utf8(kept);
  return kept;
}

}  // namespace causcale
