#include "core/train_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/own_file.h"
#include "causcale/error.h"
#include "causcale/version.h"
#include "core/installed.h"

namespace causcale {
namespace {

constexpr const char* kFile = "libcauscale_train.so.0";
constexpr const char* kEntry = "causcale_train_library";

// The training library uses the code of libcauscale: a program or Python module that holds this code itself
// would then have it twice.
bool is_self_contained() {
  return !own_file().filename().string().starts_with("libcauscale.");
}

// Beside this library, or wherever the system looks.
void* open_library(std::string& problem) {
  for (const std::string& file : {(library_folder() / kFile).string(), std::string(kFile)}) {
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* error = dlerror();
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) problem = error ? error : "unknown error";
  }
  return nullptr;
}

const TrainLibrary* load() {
  if (is_self_contained()) return nullptr;
  std::string problem;
  void* handle = open_library(problem);
  if (!handle && !problem.empty()) throw Error(fmt::format("{} cannot be opened: {}", kFile, problem));
  if (!handle) return nullptr;
  using Entry = const TrainLibrary* (*)(const char* version);
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, kEntry));
  const TrainLibrary* library = entry ? entry(CAUSCALE_VERSION) : nullptr;
  if (!library)
    throw Error(fmt::format("{} is of another version than this program ({})", kFile, CAUSCALE_VERSION));
  return library;
}

// Whether asking a library of hundreds of megabytes for a GPU is worth it.
bool may_have_gpu() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/nvidia0", F_OK) == 0;
}

}  // namespace

const TrainLibrary* find_train_library() {
  static const TrainLibrary* const library = load();
  return library;
}

const TrainLibrary& train_library(const std::string& what) {
  if (const TrainLibrary* library = find_train_library()) return *library;
  if (is_self_contained())
    throw UsageError(
        fmt::format("{} needs libtorch, which this self-contained program does without: install the packages "
                    "causcale and causcale-train instead, or build with libtorch",
                    what));
  throw UsageError(fmt::format(
      "{} needs {}, which is not installed: install the package causcale-train, or build with libtorch", what,
      kFile));
}

std::string model_of_architecture(const std::filesystem::path& file, const ModelConfig& config) {
  if (config.architecture == Architecture::kCauScale)
    return fmt::format("the model {}, of a kind that this program does not compute by itself,",
                       file.string());
  return fmt::format("the model {}, of the architecture {},", file.string(),
                     architecture_name(config.architecture));
}

Device choose_device(Device wanted) {
  if (wanted == Device::kCpu || (wanted == Device::kAuto && !may_have_gpu())) return Device::kCpu;
  const TrainLibrary* library =
      wanted == Device::kCuda ? &train_library("--device cuda") : find_train_library();
  if (!library) return Device::kCpu;
  const TrainLibrary::Devices devices = library->devices();
  if (!devices.gpu.empty()) return Device::kCuda;
  if (wanted == Device::kAuto) return Device::kCpu;
  throw UsageError(fmt::format("--device cuda: {}; accepted: auto, cpu", devices.why_no_gpu));
}

}  // namespace causcale
