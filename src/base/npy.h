// NumPy's .npy format (versions 1 to 3): numbers in C or Fortran order, little endian; flat arrays of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causcale/matrix.h"

namespace causcale {

enum class NpyType {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64
};

// Values are widened to double on reading, in C order; `type` remembers what the file held.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
  NpyType type = NpyType::kFloat64;
};

// Hands out the next `count` bytes of a file, or throws.
using ByteSource = std::function<void(std::byte* to, std::size_t count)>;

// An array that is read piece by piece, so that one in an archive is never held whole beside its values. The
// constructor reads the header and compares the size that it claims with the bytes there are; nothing of that
// size is allocated before numbers() or texts() is called. Each of the two may be called once.
class NpyStream {
 public:
  // `total` is the number of bytes of the whole .npy file; `name` is used in error messages only.
  NpyStream(ByteSource source, std::size_t total, std::string name);

  const std::vector<std::size_t>& shape() const { return shape_; }
  bool holds_text() const { return text_bytes_ > 0; }
  std::uint64_t memory_needed() const;  // by what numbers() or texts() returns, roughly

  std::size_t bytes_after() const { return bytes_after_; }  // that follow the values

  NpyArray numbers();
  std::vector<std::string> texts();

 private:
  ByteSource source_;
  std::string name_;
  std::string descr_;  // without quotes: "<f8"
  std::vector<std::size_t> shape_;
  std::size_t count_ = 1;       // values in all
  std::size_t item_bytes_ = 0;  // of one number or text; 0: of a type that is not read
  std::size_t text_bytes_ = 0;  // of one text; 0: no text
  std::size_t bytes_after_ = 0;
  bool fortran_ = false;
};

// Truncated, inconsistent or unsupported content throws InputError, and so does an array that would need
// more than `max_bytes` of memory.
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name,
                   std::size_t max_bytes = kNoLimit);
NpyArray read_npy(const std::filesystem::path& path, std::size_t max_bytes = kNoLimit);

// Arrays of text ('U' and 'S' types), flat. Arrays of Python objects cannot be read and say so.
bool npy_holds_text(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::string> parse_npy_text(std::span<const std::byte> bytes, const std::string& name,
                                        std::size_t max_bytes = kNoLimit);

// A table of numbers out of an array, rows x variables. One without rows or columns is refused here, where
// its extents can still be anything: naming the columns of 0 x 10^9 would take the memory of the computer.
Matrix<double> npy_table(NpyArray array, const std::string& name);

std::string format_npy(const Matrix<double>& matrix);                // '<f8'
void write_npy(std::ostream& out, const Matrix<double>& matrix);     // '<f8', without a copy in memory
std::string format_npy(const Matrix<float>& matrix);                 // '<f4'
std::string format_npy(const Matrix<std::int32_t>& matrix);          // '<i4'
std::string format_npy_text(const std::vector<std::string>& texts);  // one dimension, '<U'; UTF-8 is decoded
// Of one dimension: '<f8', '<i4', '<i8'.
std::string format_npy_list(std::span<const double> values);
std::string format_npy_list(std::span<const std::int32_t> values);
std::string format_npy_list(std::span<const std::int64_t> values);
std::string format_npy_word(std::string_view word);  // of no dimension, '|S', as scipy.sparse stores a format

}  // namespace causcale
