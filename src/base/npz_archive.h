// The arrays of NumPy's .npz archives.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/zip.h"

namespace causcale {

// The .npy files of an archive by key (without the extension). Only what is asked for is inflated, and only
// after the sizes that the archive's directory and the array's own header claim were compared with each
// other, with the bytes there are and with the memory that may be used: an archive of two megabytes can hold
// zeros for two gigabytes. Throws InputError.
class NpzArchive {
 public:
  // `bytes` have to outlive the archive. All arrays read from it together may take `max_bytes`; 0: the usual
  // share of the computer's memory.
  NpzArchive(std::span<const std::byte> bytes, std::string source, std::size_t max_bytes = 0);

  bool contains(const std::string& key) const { return members_.contains(key); }
  std::string key_list() const;  // "data, interv"

  bool holds_text(const std::string& key) const;
  NpyArray numbers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);

  // What can be read beside what was read already. Throws InputError where `bytes` more are too many.
  void take_memory(const std::string& what, std::uint64_t bytes);

 private:
  std::string name_of(const std::string& key) const { return source_ + ":" + key; }
  NpyStream open(const std::string& key) const;
  NpyStream open_within_limits(const std::string& key);

  std::span<const std::byte> bytes_;
  std::string source_;
  std::size_t left_;  // memory that may still be taken
  std::map<std::string, ZipMember> members_;
};

}  // namespace causcale
