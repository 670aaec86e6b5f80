#include "base/file_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "causcale/error.h"

namespace causcale {
namespace {

// Whether the name still leads to the open file: its last holder may have removed it in between.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const char* what, int error) {
  throw InputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

}  // namespace

std::optional<FileClaim> FileClaim::take(const std::filesystem::path& path) {
  std::error_code failed;
  if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path(), failed);
  while (true) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) refuse(path, "a claim cannot be made", errno);
    FileClaim claim(file, path);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      claim.file_ = -1;  // another's: neither is it removed nor unlocked
      close(file);
      if (error == EINTR) continue;
      if (error == EWOULDBLOCK) return std::nullopt;
      refuse(path, "the file system cannot lock files (--share 0/1 needs none)", error);
    }
    if (still_there(file, path)) return claim;
    claim.file_ = -1;
    close(file);
  }
}

FileClaim::FileClaim(FileClaim&& other) noexcept : file_(other.file_), path_(std::move(other.path_)) {
  other.file_ = -1;
}

FileClaim::~FileClaim() {
  if (file_ < 0) return;
  unlink(path_.c_str());  // before the lock goes, so that nobody else's file is removed
  close(file_);
}

}  // namespace causcale
