// Text of users (variable names, file paths) made safe for the formats of this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace causcale {

// Code points; bytes that are not UTF-8 become U+FFFD.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view code_points);

// For element content and attribute values of XML 1.0 and HTML. Characters that XML cannot hold become
// U+FFFD, line breaks and tabs become spaces.
std::string xml_escaped(std::string_view text);

// Names for Tetrad's text form, which separates nodes by ';' (or ',') and the parts of an edge by blanks and
// can quote nothing: those characters become '_'. Names that were different stay different (by _2, _3, ...
// at the end), and those without such characters stay as they are.
std::vector<std::string> tetrad_names(const std::vector<std::string>& names);

// Ids for GraphML's nodes: the names, where all of them are different and what XML allows as an id
// (letters, digits, '.', '-', '_', ':'), else n0, n1, ...
std::vector<std::string> graphml_ids(const std::vector<std::string>& names);

// JSON that may stand inside a script element, where only '<' can end the element or begin a comment: JSON
// can write it otherwise.
std::string safe_in_script(std::string_view json);

}  // namespace causcale
