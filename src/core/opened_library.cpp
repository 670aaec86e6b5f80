#include "core/opened_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/own_file.h"
#include "causcale/error.h"
#include "core/installed.h"

namespace causcale {
namespace {

void* open_library(const std::string& name, std::string& problem) {
  for (const std::string& file : {(library_folder() / name).string(), name}) {
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* error = dlerror();
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) problem = error ? error : "unknown error";
  }
  return nullptr;
}

}  // namespace

bool is_self_contained() {
  return !own_file().filename().string().starts_with("libcauscale.");
}

void* find_function(const std::string& file, const char* function) {
  if (is_self_contained()) return nullptr;
  std::string problem;
  void* handle = open_library(file, problem);
  if (!handle && !problem.empty()) throw Error(fmt::format("{} cannot be opened: {}", file, problem));
  if (!handle) return nullptr;
  void* found = dlsym(handle, function);
  if (!found)
    throw Error(fmt::format("{} does not have {}: it is not of this program's version", file, function));
  return found;
}

void refuse_version(const std::string& file, const char* version) {
  throw Error(fmt::format("{} is of another version than this program ({})", file, version));
}

}  // namespace causcale
