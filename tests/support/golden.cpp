#include "support/golden.h"

#include <zip.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>

#include "base/file.h"

namespace causcale::test {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string>& archive() {
  static const std::map<std::string, std::string> files = [] {
    const std::string path = std::string(CAUSCALE_SOURCE_DIR) + "/tests/golden/reference.zip";
    int code = 0;
    zip_t* zip = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (!zip) throw std::runtime_error("cannot open " + path);
    std::map<std::string, std::string> result;
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i) {
      zip_stat_t info;
      zip_stat_index(zip, i, 0, &info);
      std::string content(info.size, '\0');
      zip_file_t* file = zip_fopen_index(zip, i, 0);
      if (zip_fread(file, content.data(), content.size()) != static_cast<zip_int64_t>(content.size()))
        throw std::runtime_error("cannot read " + std::string(info.name) + " in " + path);
      zip_fclose(file);
      result.emplace(info.name, std::move(content));
    }
    zip_close(zip);
    return result;
  }();
  return files;
}

}  // namespace

fs::path golden_folder() {
  static const fs::path folder = [] {
    if (const char* given = std::getenv("CAUSCALE_REFERENCE")) return fs::path(given);
    return fs::path(CAUSCALE_SOURCE_DIR) / ".." / "shared" / "reference";
  }();
  return folder;
}

bool golden_is_full() {
  return fs::exists(golden_folder() / "README.md");
}

bool golden_exists(const std::string& path) {
  return golden_is_full() ? fs::exists(golden_folder() / path) : archive().contains(path);
}

std::vector<std::string> golden_list(const std::string& prefix) {
  std::vector<std::string> result;
  if (golden_is_full()) {
    for (const auto& entry : fs::recursive_directory_iterator(golden_folder())) {
      const std::string path = fs::relative(entry.path(), golden_folder()).string();
      if (entry.is_regular_file() && path.starts_with(prefix)) result.push_back(path);
    }
  } else {
    for (const auto& [path, content] : archive())
      if (path.starts_with(prefix)) result.push_back(path);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string golden_text(const std::string& path) {
  if (golden_is_full()) return std::string(MappedFile(golden_folder() / path).text());
  const auto found = archive().find(path);
  if (found == archive().end()) throw std::runtime_error("no golden file " + path);
  return found->second;
}

NpyArray golden_npy(const std::string& path) {
  const std::string content = golden_text(path);
  return parse_npy(std::as_bytes(std::span(content)), path);
}

Matrix<double> golden_matrix(const std::string& path) {
  NpyArray array = golden_npy(path);
  if (array.shape.size() != 2) throw std::runtime_error(path + " is not a matrix");
  return Matrix<double>(array.shape[0], array.shape[1], std::move(array.values));
}

}  // namespace causcale::test
