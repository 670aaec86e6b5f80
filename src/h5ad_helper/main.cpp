// causcale-read-h5ad FILE LAYER LABEL-COLUMN BYTES: reads one .h5ad file for the library, which starts it
// with a socket as standard input. Limits come first: whatever a file makes HDF5 do stays in this process,
// within its memory and time, and no other file can be opened.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "base/byte_size.h"
#include "h5ad_helper/anndata_file.h"
#include "h5ad_helper/talk.h"

namespace {

void limit(int resource, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

// `bytes` for what the file holds, and time by the size of the file: a megabyte a second is slow.
void limit_memory_and_time(const char* path, std::uint64_t bytes) {
  constexpr std::uint64_t kProgram = std::uint64_t{1} << 30, kLeastSeconds = 300;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  if (!kSanitized) limit(RLIMIT_AS, std::min(bytes, kMost) + kProgram);  // a sanitizer maps terabytes
  struct stat info {};
  if (stat(path, &info) == 0)
    limit(RLIMIT_CPU, kLeastSeconds + static_cast<std::uint64_t>(info.st_size) / (1 << 20));
  limit(RLIMIT_CORE, 0);
}

void forbid_other_files() {
  if (kSanitized) return;   // a sanitizer looks at memory through pipes of its own
  limit(RLIMIT_NOFILE, 0);  // no descriptor can be added to those there are
  limit(RLIMIT_FSIZE, 0);
}

void fail(const std::string& message) {
  causcale::h5ad_helper::send(causcale::H5adMessage::kError, std::as_bytes(std::span(message)));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace causcale;
  using namespace causcale::h5ad_helper;
  struct stat input {};
  if (argc != 5 || fstat(STDIN_FILENO, &input) != 0 || !S_ISSOCK(input.st_mode)) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_close_range, 3u, ~0u, 0u);  // what the library's program left open is none of this one's
  const std::uint64_t bytes = std::strtoull(argv[4], nullptr, 10);
  const std::string layer = argv[2], label_column = argv[3];
  limit_memory_and_time(argv[1], bytes);
  const auto too_large = [&] {
    fail("reading it would need more memory than the limit of " + format_byte_size(bytes));
  };
  try {
    AnnDataFile file(argv[1]);
    forbid_other_files();
    send_texts(file.variable_names());
    file.send_matrix(layer, receive_kept());
    if (!label_column.empty()) send_texts(file.obs_column(label_column));
    send(H5adMessage::kDone);
  } catch (const std::bad_alloc&) {
    too_large();
  } catch (const std::length_error&) {
    too_large();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  // Without closing anything: HDF5's own clean-up of a damaged file is one more thing that can fail.
  _exit(0);
}
