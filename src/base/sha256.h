// SHA-256 (FIPS 180-4), for naming data and weight files beyond doubt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/sha256_blocks.h"

namespace causcale {

// Takes bytes in any portions; hex() ends it.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  std::string hex();

 private:
  Sha256Blocks blocks_;
  Sha256State state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_of_file(const std::filesystem::path& path);

// The SHA-256 of a file, compared with what a file SHA256SUMS in the same folder (as sha256sum writes it)
// says, if it has a line for the file. Throws InputError naming both files where they differ.
std::string checked_sha256(const std::filesystem::path& path);

}  // namespace causcale
