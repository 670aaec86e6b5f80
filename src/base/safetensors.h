// The safetensors format: an 8-byte header length, a JSON header, raw little-endian tensors. No torch types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace causcale {

struct TensorView {
  std::string name;
  std::string dtype;  // "BF16", "F32", ... as the format spells it
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

struct SafetensorsContent {
  std::map<std::string, std::string> metadata;  // "__metadata__"
  std::vector<TensorView> tensors;              // in the order of their bytes
};

// Checks every field of the header before believing it: its size, types, shapes, offsets, overlaps, holes,
// duplicate names. `file` is used in messages only; the result's spans point into `bytes`.
SafetensorsContent parse_safetensors(std::span<const std::byte> bytes, const std::string& file);

// A file that stays mapped as long as this lives.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;
  const SafetensorsContent& content() const { return content_; }

 private:
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
  SafetensorsContent content_;
};

// Writes the tensors in the order given, all or nothing.
void write_safetensors(const std::filesystem::path& path, const SafetensorsContent& content);

// SHA-256 over everything but the metadata's own entry "sha256", where a file can keep it: the rest of the
// metadata, and every tensor's name, type, shape and bytes, in the order of names.
std::string content_sha256(const SafetensorsContent& content);

}  // namespace causcale
