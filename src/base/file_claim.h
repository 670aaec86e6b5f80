// Claims on pieces of work that several processes share, on one machine or on a folder that several mount: a
// lock on a file, which the system lifts when its holder ends, however that happens.
#pragma once

#include <filesystem>
#include <optional>

namespace causcale {

class FileClaim {
 public:
  // Nothing where another process, or another claim of this one, holds it. The file is made where it is
  // missing, with its folder. Throws InputError where it cannot be made or the file system has no locks.
  static std::optional<FileClaim> take(const std::filesystem::path& path);

  // Removes the file and lifts the claim.
  ~FileClaim();
  FileClaim(FileClaim&& other) noexcept;
  FileClaim& operator=(FileClaim&&) = delete;

 private:
  FileClaim(int file, std::filesystem::path path) : file_(file), path_(std::move(path)) {}

  int file_;  // -1: moved away
  std::filesystem::path path_;
};

}  // namespace causcale
