// Whole-file reading and all-or-nothing writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace causcale {

// A read-only view of a file's bytes, mapped rather than copied. Throws InputError naming the file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes of a mapped file that are not read again soon: the memory of whole pages among them is free for other
// things, and read from the file again if need be.
void release_pages(std::span<const std::byte> mapped);

// What Windows programs put before UTF-8 text is none of it.
std::string_view without_byte_order_mark(std::string_view text);

// Writes under a temporary name in the same folder, then renames: readers see the old file or the whole new
// one, never a part. Missing parent folders are made. Throws InputError naming the file.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace causcale
