// Which models are there, and where: files <name>.safetensors in the model folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace causcale {

// Where the code that runs now was loaded from: the folder of the shared library, or of the program that it
// is linked into.
std::filesystem::path library_folder();

// Where `causcale models install` puts models: $XDG_DATA_HOME/causcale/models, or the same below
// ~/.local/share. Empty where neither is known.
std::filesystem::path user_model_folder();

// In order of preference: the folders of $CAUSCALE_MODELS (several are separated by colons), the user's,
// those that belong to this build or installation of the library (models/ of the source tree,
// share/causcale/models of a prefix), causcale/models in $XDG_DATA_DIRS. Only those that exist.
std::vector<std::filesystem::path> model_folders();

struct InstalledModel {
  std::string name;
  std::filesystem::path path;
};

// Sorted by name; of equal names the one in the preferred folder.
std::vector<InstalledModel> installed_models();

// The name that stands for the best model shipped.
std::string default_model_name();

// A file that exists, or the name of an installed model; empty means the default. Throws InputError that
// lists what is installed.
std::filesystem::path find_model(const std::string& name_or_path);

// The SHA-256 of a weight file, for showing. A file that was installed beside a list SHA256SUMS has to have
// the one that stands there: throws InputError naming the file where it was damaged.
std::string verify_installed(const std::filesystem::path& weights);

}  // namespace causcale
