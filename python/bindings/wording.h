// The library speaks of options as the command line calls them; Python users read of arguments.
#pragma once

#include <string>
#include <string_view>

namespace causcale::python {

// "leave it out with --exclude" becomes "leave it out with exclude=...", "--missing drop" "missing='drop'".
std::string in_python_words(std::string_view text);

}  // namespace causcale::python
