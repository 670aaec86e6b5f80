#include "base/csv_cell.h"

namespace causcale {

std::string csv_cell(const std::string& text) {
  const auto is_blank = [](char c) { return c == ' '; };
  const bool like_a_comment = text.starts_with('#');
  const bool blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (text.find_first_of(",;\t\"\r\n") == std::string::npos && !like_a_comment && !blank_ends) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace causcale
