#include "base/own_file.h"

#ifdef __linux__
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#endif

namespace causcale {

namespace fs = std::filesystem;

#ifdef __linux__
fs::path own_file() {
  Dl_info info{};
  link_map* loaded = nullptr;
  const bool known = dladdr1(reinterpret_cast<const void*>(&own_file), &info,
                             reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) != 0;
  std::error_code error;
  fs::path file;
  if (known && loaded && loaded->l_name && *loaded->l_name != '\0') {
    file = fs::canonical(loaded->l_name, error);
  } else {
    // A program has no name there, and dli_fname only repeats what it was called by.
    file = fs::read_symlink("/proc/self/exe", error);
    // Where there is no /proc, what the kernel was told to start.
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (error && started) file = fs::canonical(started, error);
  }
  return error ? fs::path() : file;
}
#else
fs::path own_file() {
  return {};
}
#endif

}  // namespace causcale
