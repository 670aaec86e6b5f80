#include "core/install_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "base/file.h"
#include "base/sha256.h"
#include "causcale/error.h"
#include "core/card.h"
#include "core/train_library.h"
#include "core/weights.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExtension = ".safetensors";

void require_plain_name(const fs::path& file) {
  const std::string name = file.stem().string();
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (name.empty() || name.front() == '-' || !std::ranges::all_of(name, plain))
    throw InputError(fmt::format(
        "{}: a model is called what its file is called, and '{}' is no name: letters, digits, - _ . "
        "are accepted; rename the file",
        file.string(), name));
}

ModelFile check_model_file(const fs::path& file) {
  if (file.extension() != kExtension)
    throw InputError(fmt::format("{} is no weight file: these end in {}", file.string(), kExtension));
  require_plain_name(file);
  const std::string sha256 = checked_sha256(file);
  core::WeightFile weights(file);
  const ModelCard card = parse_card(weights.metadata(), file.string());
  if (card.config.architecture == Architecture::kCauScale)
    core::read_weights(weights);
  else  // its tensors are known to the library that computes it
    train_library(model_of_architecture(file, card.config)).network(file, Device::kCpu, Precision::kFloat32);
  return {file.stem().string(), file, sha256};
}

// The folder's list without the line of `file`.
std::string list_without(const fs::path& list, const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(list, error)) return {};
  std::istringstream lines{std::string(MappedFile(list).text())};
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.ends_with("  " + file) && !line.ends_with(" *" + file) && !line.empty()) kept += line + "\n";
  return kept;
}

// Two that install into one folder take turns: each reads the list of hashes and writes it anew. The lock is
// on the folder itself, ends with the process, and leaves nothing behind; where a file system has no locks,
// or the folder cannot be made, what follows says what is wrong.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ >= 0)
      while (flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
      }
  }
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_ = -1;
};

// What installations that were killed have left under temporary names. Only for who holds the lock: nobody
// else writes here then.
void remove_leftovers(const fs::path& folder, const std::vector<std::string>& files) {
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::any_of(files,
                            [&](const std::string& file) { return name.starts_with(file + ".part-"); }))
      left.push_back(entry.path());
  }
  for (const fs::path& file : left) fs::remove(file, error);
}

void copy_whole(const fs::path& from, const fs::path& to) {
  const MappedFile content(from);
  write_file_atomically(to, content.text());
}

}  // namespace

std::vector<ModelFile> check_model_files(const fs::path& given, const std::string& sha256) {
  std::error_code error;
  std::vector<ModelFile> models;
  if (fs::is_directory(given, error)) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(given, error))
      if (entry.path().extension() == kExtension) files.push_back(entry.path());
    if (error) throw InputError(fmt::format("{} cannot be read: {}", given.string(), error.message()));
    if (files.empty())
      throw InputError(fmt::format("the folder {} holds no file ending in {}", given.string(), kExtension));
    std::ranges::sort(files);
    for (const fs::path& file : files) models.push_back(check_model_file(file));
  } else {
    models.push_back(check_model_file(given));
  }
  if (sha256.empty()) return models;
  if (models.size() != 1)
    throw UsageError(
        fmt::format("--sha256 is of one file; {} holds {} models", given.string(), models.size()));
  std::string wanted = sha256;
  std::ranges::transform(wanted, wanted.begin(),
                         [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  if (wanted != models.front().sha256)
    throw InputError(fmt::format("the SHA-256 of {} is {}, not {}: nothing was installed",
                                 models.front().path.string(), models.front().sha256, sha256));
  return models;
}

InstallOutcome install_model(const ModelFile& model, const fs::path& folder, bool replace) {
  const std::string file = model.name + kExtension;
  const fs::path target = folder / file, list = folder / "SHA256SUMS";
  const std::string text_file = model.name + ".md";
  const FolderLock lock(folder);
  remove_leftovers(folder, {file, text_file, list.filename().string()});
  std::error_code error;
  const bool exists = fs::exists(target, error);
  const bool same = exists && sha256_of_file(target) == model.sha256;
  if (exists && !same && !replace)
    throw InputError(fmt::format("{} is another model of that name: --replace puts {} in its place",
                                 target.string(), model.path.string()));
  const std::string others = list_without(list, file);
  const std::string line = fmt::format("{}  {}\n", model.sha256, file);
  if (!same) {
    if (exists) write_file_atomically(list, others);
    copy_whole(model.path, target);
    fs::path text = model.path;
    text.replace_extension(".md");
    if (fs::is_regular_file(text, error)) copy_whole(text, folder / text_file);
  }
  write_file_atomically(list, others + line);
  if (same) return InstallOutcome::kAlreadyThere;
  return exists ? InstallOutcome::kReplaced : InstallOutcome::kInstalled;
}

}  // namespace causcale
