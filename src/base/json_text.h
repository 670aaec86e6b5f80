// JSON of users: errors that name file and line, and values short enough for a message.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace causcale {

// Refuses what is nested so deeply, or has objects with so many members, that reading would take the stack or
// for ever. `comments`: those of C++ are passed over.
void require_tame_json(std::string_view text, const std::string& path, bool comments = false);
// The same, and what is no JSON.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);
// Not empty and without zero bytes, as every table has them.
bool is_variable_name(std::string_view text);

std::string shortened(const nlohmann::ordered_json& value);

}  // namespace causcale
