// NumPy's .npy format (versions 1 to 3): numbers in C or Fortran order, little endian; flat arrays of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
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

// `name` is used in error messages only. Truncated, inconsistent or unsupported content throws InputError.
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);
NpyArray read_npy(const std::filesystem::path& path);

// Arrays of text ('U' and 'S' types), flat. Arrays of Python objects cannot be read and say so.
bool npy_holds_text(std::span<const std::byte> bytes, const std::string& name);
std::vector<std::string> parse_npy_text(std::span<const std::byte> bytes, const std::string& name);

std::string format_npy(const Matrix<double>& matrix);  // '<f8'
std::string format_npy(const Matrix<float>& matrix);   // '<f4'

}  // namespace causcale
