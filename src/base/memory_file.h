// Bytes in memory that are read like a file, for readers that take a path. Nothing is written to a disk.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace causcale {

class MemoryFile {
 public:
  // `extension` (".csv") becomes that of the path where the system lets names have one. Throws Error.
  MemoryFile(std::string_view bytes, const std::string& extension);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }  // as long as this object lives

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace causcale
