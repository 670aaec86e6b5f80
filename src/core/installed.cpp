#include "core/installed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/own_file.h"
#include "base/sha256.h"
#include "causcale/error.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".safetensors";

// Folders separated by colons, as in PATH; relative ones count only where the user typed them.
void add_listed(std::vector<fs::path>& folders, std::string_view list, const fs::path& below,
                bool relative_too) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const fs::path folder(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (!folder.empty() && (relative_too || folder.is_absolute())) folders.push_back(folder / below);
  }
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

fs::path library_folder() {
  return own_file().parent_path();
}

fs::path user_model_folder() {
  if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute())
    return data / "causcale" / "models";
  const fs::path home = environment("HOME");
  return home.is_absolute() ? home / ".local" / "share" / "causcale" / "models" : fs::path();
}

std::vector<fs::path> model_folders() {
  std::vector<fs::path> candidates;
  add_listed(candidates, environment("CAUSCALE_MODELS"), {}, true);
  if (const fs::path folder = user_model_folder(); !folder.empty()) candidates.push_back(folder);
  // From <prefix>/lib/<arch>/ or <source>/build/<preset>/lib/ upwards.
  fs::path folder = library_folder();
  for (int level = 0; level < 4 && folder.has_relative_path(); ++level) {
    candidates.push_back(folder / "share" / "causcale" / "models");
    candidates.push_back(folder / "models");
    folder = folder.parent_path();
  }
  const std::string_view system = environment("XDG_DATA_DIRS");
  add_listed(candidates, system.empty() ? "/usr/local/share:/usr/share" : system, "causcale/models", false);
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
                  "or the folder of your models in CAUSCALE_MODELS; `causcale models install` adds one",
                  wanted, names.empty() ? "none" : names, kExtension));
}

std::string verify_installed(const fs::path& weights) {
  // By its real folder, which the list belongs to; links to weight files are common.
  std::error_code error;
  const fs::path real = fs::canonical(weights, error);
  return checked_sha256(error ? weights : real);
}

}  // namespace causcale
