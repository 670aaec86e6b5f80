#include "output_paths.h"

#include <fmt/format.h>

#include <set>

#include "causcale/error.h"

namespace causcale::cli {
namespace {

// The same for all names of a file, and for one that does not exist yet.
std::filesystem::path identity(const std::filesystem::path& path) {
  std::error_code failed;
  const auto result = std::filesystem::weakly_canonical(std::filesystem::absolute(path), failed);
  return failed ? std::filesystem::absolute(path).lexically_normal() : result;
}

}  // namespace

void check_output_paths(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs) {
  std::set<std::filesystem::path> read, written;
  for (const auto& path : inputs)
    if (!path.empty()) read.insert(identity(path));
  for (const auto& path : outputs) {
    if (path.empty()) continue;
    const std::filesystem::path file = identity(path);
    if (read.contains(file))
      throw UsageError(fmt::format("{}: this file is read; the result would replace it", path.string()));
    if (!written.insert(file).second)
      throw UsageError(fmt::format("{}: two results would be written to this file", path.string()));
  }
}

}  // namespace causcale::cli
