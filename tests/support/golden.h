// Golden numbers. A file is looked up by its path below the reference folder: in the full folder where one is
// found (environment CAUSCALE_REFERENCE, or ../shared/reference beside the checkout), else in the compact
// selection tests/golden/reference.zip that every clone carries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/npy.h"

namespace causcale::test {

bool golden_is_full();
std::filesystem::path golden_folder();  // of the full set, whether it is there or not
bool golden_exists(const std::string& path);
// Every available path that starts with `prefix`, sorted.
std::vector<std::string> golden_list(const std::string& prefix);
std::string golden_text(const std::string& path);
NpyArray golden_npy(const std::string& path);
Matrix<double> golden_matrix(const std::string& path);  // 2-D .npy

}  // namespace causcale::test
