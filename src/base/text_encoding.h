// Names and words of files that are not UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace causcale {

bool is_utf8(std::string_view text);

// Where `text` is no UTF-8, its bytes are taken for Windows-1252 (of which Latin-1 is the part that is used)
// and written as UTF-8. Returns whether anything changed.
bool make_utf8(std::string& text);

// The text of a small file, without a byte order mark: itself where it is UTF-8, otherwise a copy made so in
// `kept`.
std::string_view as_utf8(std::string_view text, std::string& kept);

}  // namespace causcale
