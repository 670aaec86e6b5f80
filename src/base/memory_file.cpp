#include "base/memory_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifndef __EMSCRIPTEN__
#include <sys/mman.h>
#endif

#include <atomic>
#include <cerrno>
#include <cstring>

#include "causcale/error.h"

namespace causcale {

MemoryFile::MemoryFile(std::string_view bytes, [[maybe_unused]] const std::string& extension) {
#ifdef __EMSCRIPTEN__
  // All files of a WebAssembly module are in memory.
  static std::atomic<unsigned> count{0};
  path_ = fmt::format("/table-{}{}", count++, extension);
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
#else
  file_ = memfd_create("table", MFD_CLOEXEC);
  path_ = fmt::format("/proc/self/fd/{}", file_);
#endif
  const auto fail = [&] {
    const int reason = errno;
    if (file_ >= 0) close(file_);
    throw Error(fmt::format("{} bytes cannot be kept in memory: {}", bytes.size(), std::strerror(reason)));
  };
  if (file_ < 0) fail();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(file_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

MemoryFile::~MemoryFile() {
  close(file_);
#ifdef __EMSCRIPTEN__
  unlink(path_.c_str());
#endif
}

}  // namespace causcale
