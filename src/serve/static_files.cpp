#include "serve/static_files.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/sha256.h"
#include "causcale/error.h"
#include "core/installed.h"

namespace causcale::serve {
namespace {

namespace fs = std::filesystem;

std::string media_type_of(const fs::path& path) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 12> types = {
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".json", "application/json"},
       {".wasm", "application/wasm"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".ico", "image/x-icon"},
       {".csv", "text/csv; charset=utf-8"},
       {".txt", "text/plain; charset=utf-8"},
       {".webmanifest", "application/manifest+json"},
       {".safetensors", "application/octet-stream"}}};
  const std::string extension = path.extension().string();
  for (const auto& [ending, type] : types)
    if (extension == ending) return type;
  return "application/octet-stream";
}

// The name of the weights in the page's list of its parts; empty where it has none.
std::string weights_of(const StaticFile* manifest) {
  if (!manifest) return {};
  const auto parts = nlohmann::json::parse(manifest->content, nullptr, false);
  if (!parts.is_object() || !parts.contains("model") || !parts["model"].is_object()) return {};
  const auto file = parts["model"].find("file");
  if (file == parts["model"].end() || !file->is_string()) return {};
  const std::string name = file->get<std::string>();
  return fs::path(name).filename() == name ? name : std::string();
}

}  // namespace

StaticFiles::StaticFiles(const fs::path& folder, std::size_t most_bytes) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "index.html", error))
    throw InputError(fmt::format("{}: no page is there (no index.html)", folder.string()));
  const auto add = [&](const fs::path& path, const std::string& name) {
    const MappedFile file(path);
    bytes_ += file.bytes().size();
    if (bytes_ > most_bytes)
      throw InputError(
          fmt::format("{}: the folder of the page has more than {} bytes", folder.string(), most_bytes));
    files_["/" + name] = {std::string(file.text()), media_type_of(path),
                          fmt::format("\"{}\"", sha256_hex(file.bytes()).substr(0, 32))};
  };
  // By its own name, also where it is a link.
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file(error))
      add(entry.path(), entry.path().lexically_relative(folder).generic_string());
  // Packages hold the weights once, in the folder of models beside the page's.
  const std::string weights = weights_of(find("/manifest.json"));
  const fs::path installed = folder / ".." / "models" / weights;
  if (!weights.empty() && !find("/" + weights) && fs::is_regular_file(installed, error))
    add(installed, weights);
}

const StaticFile* StaticFiles::find(const std::string& path) const {
  const auto found = files_.find(path == "/" ? "/index.html" : path);
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<fs::path> page_places(const fs::path& library) {
  std::vector<fs::path> places;
  const fs::path parent = library.parent_path(), above = parent.parent_path();
  const auto is_there = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error);
  };
  // The build folder of a source tree: <build>/lib, <build>/bin or <build>/portable/bin.
  for (const fs::path& build : {parent, above})
    if (is_there(build / "CMakeCache.txt")) places.push_back(build.parent_path() / "page");
  // The Python package: its module lies in it, its program in its bin/.
  for (const fs::path& package : {library, parent})
    if (is_there(package / "__init__.py")) places.push_back(package / "page");
  // A prefix: <prefix>/bin, <prefix>/lib, <prefix>/lib64 or <prefix>/lib/<arch>.
  const fs::path name = library.filename();
  if (name == "bin" || name == "lib" || name == "lib64")
    places.push_back(parent / "share" / "causcale" / "page");
  else if (parent.filename() == "lib")
    places.push_back(above / "share" / "causcale" / "page");
  return places;
}

fs::path installed_page() {
  std::error_code error;
  for (const fs::path& place : page_places(library_folder()))
    if (fs::is_regular_file(place / "index.html", error)) return place;
  return {};
}

}  // namespace causcale::serve
