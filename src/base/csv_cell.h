// Text of users as a cell of a CSV file.
#pragma once

#include <string>

namespace causcale {

// Quoted where the text holds what separates cells here or in other people's files, so that nobody has to
// guess.
std::string csv_cell(const std::string& text);

}  // namespace causcale
