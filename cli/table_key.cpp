#include "table_key.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>

#include "base/sha256.h"

namespace causcale::cli {
namespace {

// A file that changed so shortly before it was read could change once more without new times.
constexpr std::int64_t kSettledSeconds = 2;

std::string hash_of(const std::string& text) {
  return sha256_hex(std::as_bytes(std::span(text)));
}

// Empty where a file is not there or has changed a moment ago.
std::string stamp_of(const std::vector<std::filesystem::path>& files) {
  std::string text;
  for (const std::filesystem::path& file : files) {
    if (file.empty()) {
      text += " -";
      continue;
    }
    struct stat found {};
    if (stat(file.c_str(), &found) != 0) return {};
    if (std::int64_t{std::time(nullptr)} - found.st_ctim.tv_sec < kSettledSeconds) return {};
    text += fmt::format(" {}:{}.{:09}:{}.{:09}:{}", found.st_size, found.st_mtim.tv_sec,
                        found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec, found.st_ino);
  }
  return text;
}

}  // namespace

std::string TableKey::settings() const {
  return hash_of(inputs_.settings);
}

const std::string& TableKey::content() {
  if (!content_.empty()) return content_;
  stamp_ = stamp_of(inputs_.files);
  std::string text = inputs_.settings;
  for (const std::filesystem::path& file : inputs_.files)
    text += ' ' + (file.empty() ? "-" : sha256_of_file(file));
  return content_ = hash_of(text);
}

bool TableKey::fits(const nlohmann::json& record) {
  if (record.value("settings", "") != settings()) return false;
  const std::string before = record.value("files", "");
  if (!before.empty() && before == stamp_of(inputs_.files)) return true;
  return record.value("key", "") == content();
}

nlohmann::ordered_json TableKey::for_record() {
  const std::string& key = content();
  return {{"key", key}, {"settings", settings()}, {"files", stamp_}};
}

}  // namespace causcale::cli
