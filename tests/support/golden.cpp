#include "support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string_view>

#include "base/file.h"
#include "base/zip.h"

namespace causcale::test {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string>& archive() {
  static const std::map<std::string, std::string> files = [] {
    const std::string path = std::string(CAUSCALE_SOURCE_DIR) + "/tests/golden/reference.zip";
    const MappedFile file(path);
    std::map<std::string, std::string> result;
    for (const ZipMember& member : read_zip_directory(file.bytes(), path)) {
      std::string content(member.size, '\0');
      ZipStream(file.bytes(), member, path + ":" + member.name)
          .read(reinterpret_cast<std::byte*>(content.data()), content.size());
      result.emplace(member.name, std::move(content));
    }
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
