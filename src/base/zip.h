// Zip archives in memory: stored and deflated members, also beyond 4 GiB (zip64), neither encrypted nor in
// several volumes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causcale {

struct ZipMember {
  std::string name;
  std::uint64_t size = 0, compressed = 0;  // bytes
  std::uint64_t header = 0;                // where its local header begins
  std::uint32_t checksum = 0;              // CRC-32 of the content
  std::uint16_t method = 0;                // 0: stored, 8: deflated
  bool encrypted = false;
};

// The archive's directory. Throws InputError, naming `source`, where it is missing, cut off or contradicts
// itself; memory is taken for members that are there only.
std::vector<ZipMember> read_zip_directory(std::span<const std::byte> archive, const std::string& source);

// One member's content, piece by piece. `archive` has to outlive it; `name` is used in error messages.
class ZipStream {
 public:
  ZipStream(std::span<const std::byte> archive, const ZipMember& member, std::string name);
  ~ZipStream();
  ZipStream(ZipStream&&) noexcept;
  ZipStream& operator=(ZipStream&&) noexcept;

  // The next `count` bytes. Throws InputError where there are fewer; with the last byte the checksum is
  // compared and so is the end of the compressed data.
  void read(std::byte* to, std::size_t count);

 private:
  struct Inflater;
  void check_end();

  std::span<const std::byte> data_;  // what is left of it, compressed
  std::string name_;
  std::uint64_t left_;  // bytes of content
  std::uint32_t expected_checksum_, checksum_ = 0;
  std::unique_ptr<Inflater> inflater_;  // null: stored
};

enum class ZipMethod { kStored, kDeflated };

// An archive of (name, content) pairs of less than 4 GiB in all; deflated only where the program has zlib.
std::string format_zip(std::span<const std::pair<std::string, std::string_view>> members, ZipMethod method);

}  // namespace causcale
