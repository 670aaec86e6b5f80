// JSON of users: errors that name file and line, and values short enough for a message.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace causcale {

nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);
std::string shortened(const nlohmann::ordered_json& value);

}  // namespace causcale
