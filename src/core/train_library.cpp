#include "core/train_library.h"

#include <fmt/format.h>

#include "causcale/error.h"
#include "causcale/version.h"
#include "core/opened_library.h"

namespace causcale {
namespace {

constexpr const char* kFile = "libcauscale_train.so.0";
constexpr const char* kEntry = "causcale_train_library";

}  // namespace

const TrainLibrary* find_train_library() {
  static const TrainLibrary* const library = find_library<TrainLibrary>(kFile, kEntry, CAUSCALE_VERSION);
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

}  // namespace causcale
