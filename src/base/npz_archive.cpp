#include "base/npz_archive.h"

#include <fmt/format.h>

#include <memory>

#include "base/byte_size.h"
#include "base/excerpt.h"
#include "causcale/error.h"

namespace causcale {

NpzArchive::NpzArchive(std::span<const std::byte> bytes, std::string source, std::size_t max_bytes)
    : bytes_(bytes), source_(std::move(source)), left_(reading_limit(max_bytes)) {
  for (ZipMember& member : read_zip_directory(bytes_, source_)) {
    if (!member.name.ends_with(".npy")) continue;
    std::string key = member.name.substr(0, member.name.size() - 4);
    if (members_.contains(key))
      throw InputError(fmt::format("{}: two arrays are called {}", source_, quoted_excerpt(key)));
    members_.emplace(std::move(key), std::move(member));
  }
  if (members_.empty()) throw InputError(fmt::format("{}: the archive holds no .npy array", source_));
}

NpyStream NpzArchive::open(const std::string& key) const {
  const std::string name = name_of(key);
  const auto found = members_.find(key);
  if (found == members_.end()) throw InputError(fmt::format("{}: no array {}", source_, quoted_excerpt(key)));
  const ZipMember& member = found->second;
  // Deflate cannot shrink by more than about 1030: a larger claim is a damaged file.
  if (member.compressed < member.size / 1100 && member.size > 4096)
    throw InputError(fmt::format("{}: {} are claimed to come out of {}, which is impossible", name,
                                 format_byte_size(member.size), format_byte_size(member.compressed)));
  const auto stream = std::make_shared<ZipStream>(bytes_, member, name);  // a ByteSource is copied
  return {[stream](std::byte* to, std::size_t count) { stream->read(to, count); },
          static_cast<std::size_t>(member.size), name};
}

std::string NpzArchive::key_list() const {
  std::string list;
  for (const auto& [key, member] : members_) list += (list.empty() ? "" : ", ") + key;
  return list;
}

void NpzArchive::take_memory(const std::string& what, std::uint64_t bytes) {
  require_memory(what, bytes, left_);
  left_ -= bytes;
}

bool NpzArchive::holds_text(const std::string& key) const {
  return open(key).holds_text();
}

NpyStream NpzArchive::open_within_limits(const std::string& key) {
  NpyStream stream = open(key);
  // NumPy writes nothing there, and the checksum is only compared where an array is read to its end.
  if (stream.bytes_after() > 0)
    throw InputError(
        fmt::format("{}: {} follow the array", name_of(key), format_byte_size(stream.bytes_after())));
  take_memory(name_of(key), stream.memory_needed());
  return stream;
}

NpyArray NpzArchive::numbers(const std::string& key) {
  return open_within_limits(key).numbers();
}

std::vector<std::string> NpzArchive::texts(const std::string& key) {
  return open_within_limits(key).texts();
}

}  // namespace causcale
