// The half of npy.h that writes.
#include <fmt/format.h>

#include <cstring>
#include <ostream>

#include "base/npy.h"

namespace causcale {
namespace {

// Everything before the values.
std::string format_header(std::string_view code, std::string_view shape) {
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   code.starts_with('S') ? '|' : '<', code, shape);
  constexpr std::size_t kPreamble = 10;  // magic, version, header length
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

template <class T>
std::string format_matrix(const Matrix<T>& matrix, std::string_view code) {
  std::string out = format_header(code, fmt::format("{}, {}", matrix.rows(), matrix.cols()));
  out.append(reinterpret_cast<const char*>(matrix.data()), matrix.size() * sizeof(T));
  return out;
}

template <class T>
std::string format_list(std::span<const T> values, std::string_view code) {
  std::string out = format_header(code, fmt::format("{},", values.size()));
  if (!values.empty()) out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return out;
}

// The characters of a text; a byte that is no UTF-8 stands for itself.
std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> characters;
  for (std::size_t k = 0; k < text.size();) {
    const auto lead = static_cast<unsigned char>(text[k]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    std::uint32_t code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    bool valid = k + length <= text.size();
    for (std::size_t j = 1; j < length && valid; ++j) {
      const auto byte = static_cast<unsigned char>(text[k + j]);
      valid = (byte & 0xC0) == 0x80;
      code = code << 6 | (byte & 0x3Fu);
    }
    characters.push_back(valid ? code : lead);
    k += valid ? length : 1;
  }
  return characters;
}

}  // namespace

std::string format_npy_list(std::span<const double> values) {
  return format_list(values, "f8");
}
std::string format_npy_list(std::span<const std::int32_t> values) {
  return format_list(values, "i4");
}
std::string format_npy_list(std::span<const std::int64_t> values) {
  return format_list(values, "i8");
}

std::string format_npy_word(std::string_view word) {
  return format_header(fmt::format("S{}", std::max<std::size_t>(word.size(), 1)), "") +
         (word.empty() ? std::string(1, '\0') : std::string(word));
}

std::string format_npy(const Matrix<double>& matrix) {
  return format_matrix(matrix, "f8");
}
void write_npy(std::ostream& out, const Matrix<double>& matrix) {
  out << format_header("f8", fmt::format("{}, {}", matrix.rows(), matrix.cols()));
  out.write(reinterpret_cast<const char*>(matrix.data()),
            static_cast<std::streamsize>(matrix.size() * sizeof(double)));
}
std::string format_npy(const Matrix<float>& matrix) {
  return format_matrix(matrix, "f4");
}
std::string format_npy(const Matrix<std::int32_t>& matrix) {
  return format_matrix(matrix, "i4");
}

std::string format_npy_text(const std::vector<std::string>& texts) {
  std::vector<std::vector<std::uint32_t>> characters;
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    characters.push_back(characters_of(text));
    longest = std::max(longest, characters.back().size());
  }
  std::string out = format_header(fmt::format("U{}", longest), fmt::format("{},", texts.size()));
  for (std::vector<std::uint32_t>& text : characters) {
    text.resize(longest, 0);
    out.append(reinterpret_cast<const char*>(text.data()), longest * sizeof(std::uint32_t));
  }
  return out;
}

}  // namespace causcale
