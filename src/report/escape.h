// Text of users (variable names, file paths) made safe for the formats of this folder.
#pragma once

#include <string>
#include <string_view>

namespace causcale {

// Code points; bytes that are not UTF-8 become U+FFFD.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view code_points);

// For element content and attribute values of XML 1.0 and HTML. Characters that XML cannot hold become
// U+FFFD, line breaks and tabs become spaces.
std::string xml_escaped(std::string_view text);

// JSON that may stand inside a script element, where only '<' can end the element or begin a comment: JSON
// can write it otherwise.
std::string safe_in_script(std::string_view json);

}  // namespace causcale
