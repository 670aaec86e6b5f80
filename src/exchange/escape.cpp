#include "exchange/escape.h"

namespace causcale {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Reads one code point and moves `at` past it, or past one byte when that is no start of a valid sequence.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const unsigned char first = text[at++];
  if (first < 0x80) return first;
  const int extra = first >= 0xF0 && first <= 0xF4   ? 3
                    : first >= 0xE0 && first <= 0xEF ? 2
                    : first >= 0xC2 && first <= 0xDF ? 1
                                                     : 0;
  if (extra == 0) return kReplacement;
  char32_t code = first & (0x3F >> extra);
  for (int k = 0; k < extra; ++k) {
    if (!is_continuation(text, at + k)) return kReplacement;
    code = (code << 6) | (static_cast<unsigned char>(text[at + k]) & 0x3F);
  }
  static constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
  if (code < least[extra] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return kReplacement;
  at += extra;
  return code;
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string code_points;
  for (std::size_t at = 0; at < text.size();) code_points += next_code_point(text, at);
  return code_points;
}

std::string encode_utf8(std::u32string_view code_points) {
  std::string text;
  for (char32_t code : code_points) append_utf8(text, code);
  return text;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char32_t code : decode_utf8(text)) {
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += ' ';
        break;
      default:
        append_utf8(out, code < 32 || code == 127 || code == 0xFFFE || code == 0xFFFF ? kReplacement : code);
    }
  }
  return out;
}

std::string safe_in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

}  // namespace causcale
