// Puts weight files into a folder where they are found by name, with the SHA-256 of each on record.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace causcale {

struct ModelFile {
  std::string name;  // as --model will take it
  std::filesystem::path path;
  std::string sha256;
};

// A weight file, or all that a folder holds. Each is read: a card that says nonsense, tensors that are
// missing, and a SHA-256 other than that of the list SHA256SUMS beside it are an InputError. `sha256`, if not
// empty, is what one single file has to have.
std::vector<ModelFile> check_model_files(const std::filesystem::path& file_or_folder,
                                         const std::string& sha256);

enum class InstallOutcome { kInstalled, kReplaced, kAlreadyThere };

// Copies the weights, and the text <name>.md beside them if there is one, and notes their SHA-256 in the
// folder's SHA256SUMS. Another model of that name is an InputError unless `replace`. Whenever this is
// interrupted, the folder holds the old model or the new one, and no list that contradicts it.
InstallOutcome install_model(const ModelFile& model, const std::filesystem::path& folder, bool replace);

}  // namespace causcale
