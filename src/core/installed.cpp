#include "core/installed.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/sha256.h"
#include "causcale/error.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".safetensors";

}  // namespace

fs::path library_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &info) == 0 || !info.dli_fname) return {};
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : file.parent_path();
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("CAUSCALE_MODELS")) candidates.emplace_back(given);
  // From <prefix>/lib/<arch>/ or <source>/build/<preset>/lib/ upwards.
  fs::path folder = library_folder();
  for (int level = 0; level < 4 && folder.has_relative_path(); ++level) {
    candidates.push_back(folder / "share" / "causcale" / "models");
    candidates.push_back(folder / "models");
    folder = folder.parent_path();
  }
  std::vector<fs::path> folders;
  std::error_code error;
  for (const fs::path& candidate : candidates)
    if (fs::is_directory(candidate, error)) folders.push_back(candidate);
  return folders;
}

std::vector<InstalledModel> installed_models() {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : model_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == kExtension)
        found.try_emplace(entry.path().stem().string(), entry.path());
  }
  std::vector<InstalledModel> models;
  for (const auto& [name, path] : found) models.push_back({name, path});
  return models;
}

std::string default_model_name() {
  return "general";
}

fs::path find_model(const std::string& name_or_path) {
  const std::string wanted = name_or_path.empty() ? default_model_name() : name_or_path;
  std::error_code error;
  if (wanted.find('/') != std::string::npos || wanted.ends_with(kExtension)) {
    if (fs::is_regular_file(wanted, error)) return wanted;
    throw InputError(fmt::format("model file {} does not exist", wanted));
  }
  std::string names;
  for (const InstalledModel& model : installed_models()) {
    if (model.name == wanted) return model.path;
    names += (names.empty() ? "" : ", ") + model.name;
  }
  throw InputError(
      fmt::format("no model named '{}' is installed; there are: {}. Give one of these, a file ending in {}, "
                  "or the folder of your models in CAUSCALE_MODELS",
                  wanted, names.empty() ? "none" : names, kExtension));
}

std::string verify_installed(const fs::path& weights) {
  // By its real folder, which the list belongs to; links to weight files are common.
  std::error_code error;
  const fs::path real = fs::canonical(weights, error);
  return checked_sha256(error ? weights : real);
}

}  // namespace causcale
