#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

#include "causcale/error.h"

namespace causcale {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto fail = [&](const char* what) {
    throw InputError(fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(errno)));
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("open");
  struct stat info {};
  if (fstat(file, &info) != 0 || S_ISDIR(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) errno = EISDIR;
    close(file);
    fail("read");
  }
  if (!S_ISREG(info.st_mode)) {  // files are read more than once, which a pipe does not allow
    close(file);
    throw InputError(fmt::format("{}: not a regular file; save what it gives to one first", path.string()));
  }
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ > 0) {
    void* address = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
      close(file);
      fail("map");
    }
    data_ = static_cast<const std::byte*>(address);
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

void release_pages(std::span<const std::byte> mapped) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data()), end = begin + mapped.size();
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write) {
  std::error_code ignored, no_folder;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), no_folder);
  if (no_folder) throw InputError(fmt::format("{}: cannot write: {}", path.string(), no_folder.message()));
  // Of its own also among threads that write the same file.
  static std::atomic<unsigned> number{0};
  const std::filesystem::path temporary = path.string() + fmt::format(".part-{}-{}", getpid(), number++);
  try {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) throw InputError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
    write(out);
    out.close();
    if (!out) throw InputError(fmt::format("{}: writing failed: {}", path.string(), std::strerror(errno)));
    std::error_code failed;
    std::filesystem::rename(temporary, path, failed);
    if (failed) throw InputError(fmt::format("{}: cannot write: {}", path.string(), failed.message()));
  } catch (...) {
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, [&](std::ostream& out) { out.write(content.data(), std::ssize(content)); });
}

}  // namespace causcale
