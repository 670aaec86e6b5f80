// The files of the page, read into memory when the server starts: no request can reach the disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace causcale::serve {

struct StaticFile {
  std::string content, media_type, tag;  // tag: for If-None-Match, with its quotes
};

class StaticFiles {
 public:
  StaticFiles() = default;  // none
  // Every regular file below the folder; the weights that its manifest.json names may also lie in ../models.
  // Throws InputError: no such folder, no index.html, more than `most_bytes`.
  explicit StaticFiles(const std::filesystem::path& folder, std::size_t most_bytes = std::size_t{256} << 20);

  bool empty() const { return files_.empty(); }
  std::size_t bytes() const { return bytes_; }
  // By the path of a request; "/" is index.html. Null where there is none.
  const StaticFile* find(const std::string& path) const;

 private:
  std::map<std::string, StaticFile> files_;  // by path: "/index.html"
  std::size_t bytes_ = 0;
};

// Where the page of what lies in the folder `library` - the shared library, the program or the Python module
// - may be: beside the build folder, in the Python package, in share/causcale/page of the prefix; nowhere
// else.
std::vector<std::filesystem::path> page_places(const std::filesystem::path& library);

// Where the page of this build or installation lies; empty where there is none.
std::filesystem::path installed_page();

}  // namespace causcale::serve
