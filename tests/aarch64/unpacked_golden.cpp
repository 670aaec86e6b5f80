// support/golden.h from a folder into which run.sh has unpacked the archive: there is no libzip for the
// processor that this is built for.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "base/file.h"
#include "support/golden.h"

namespace causcale::test {

namespace fs = std::filesystem;

fs::path golden_folder() {
  const char* folder = std::getenv("CAUSCALE_REFERENCE");
  if (!folder)
    throw std::runtime_error("CAUSCALE_REFERENCE must name the unpacked tests/golden/reference.zip");
  return folder;
}

bool golden_is_full() {
  return true;
}

bool golden_exists(const std::string& path) {
  return fs::exists(golden_folder() / path);
}

std::vector<std::string> golden_list(const std::string& prefix) {
  std::vector<std::string> result;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder())) {
    const std::string path = fs::relative(entry.path(), golden_folder()).string();
    if (entry.is_regular_file() && path.starts_with(prefix)) result.push_back(path);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string golden_text(const std::string& path) {
  return std::string(MappedFile(golden_folder() / path).text());
}

NpyArray golden_npy(const std::string& path) {
  const std::string content = golden_text(path);
  return parse_npy(std::as_bytes(std::span(content)), path);
}

}  // namespace causcale::test
