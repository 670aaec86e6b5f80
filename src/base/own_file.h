// Where the library lies: helper programs, models and the training library are looked for beside it.
#pragma once

#include <filesystem>

namespace causcale {

// The file that this code was loaded from, without links: the shared library, a Python module or the program
// that the library is linked into. Empty where the system does not say.
std::filesystem::path own_file();

}  // namespace causcale
