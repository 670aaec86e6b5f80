// Pieces of files in messages.
#pragma once

#include <string>
#include <string_view>

namespace causcale {

// A piece of a file for a message: quoted, shortened, unprintable bytes as \xNN.
std::string quoted_excerpt(std::string_view text);

}  // namespace causcale
