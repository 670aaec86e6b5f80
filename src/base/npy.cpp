#include "base/npy.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {
namespace {

struct TypeInfo {
  std::string_view code;
  NpyType type;
  std::size_t bytes;
};
constexpr TypeInfo kTypes[] = {
    {"b1", NpyType::kBool, 1},    {"i1", NpyType::kInt8, 1},    {"u1", NpyType::kUint8, 1},
    {"i2", NpyType::kInt16, 2},   {"u2", NpyType::kUint16, 2},  {"i4", NpyType::kInt32, 4},
    {"u4", NpyType::kUint32, 4},  {"i8", NpyType::kInt64, 8},   {"u8", NpyType::kUint64, 8},
    {"f2", NpyType::kFloat16, 2}, {"f4", NpyType::kFloat32, 4}, {"f8", NpyType::kFloat64, 8},
};

double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  double value;
  if (exponent == 0)
    value = fraction * 0x1.0p-24;
  else if (exponent == 31)
    value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else
    value = (1024 + fraction) * std::pow(2.0, exponent - 25);
  return half & 0x8000 ? -value : value;
}

template <class T>
double load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

double load_as(NpyType type, const std::byte* at) {
  switch (type) {
    case NpyType::kBool:
    case NpyType::kUint8:
      return load<std::uint8_t>(at);
    case NpyType::kInt8:
      return load<std::int8_t>(at);
    case NpyType::kInt16:
      return load<std::int16_t>(at);
    case NpyType::kUint16:
      return load<std::uint16_t>(at);
    case NpyType::kInt32:
      return load<std::int32_t>(at);
    case NpyType::kUint32:
      return load<std::uint32_t>(at);
    case NpyType::kInt64:
      return load<std::int64_t>(at);
    case NpyType::kUint64:
      return load<std::uint64_t>(at);
    case NpyType::kFloat32:
      return load<float>(at);
    case NpyType::kFloat64:
      return load<double>(at);
    case NpyType::kFloat16: {
      std::uint16_t bits;
      std::memcpy(&bits, at, sizeof bits);
      return half_to_double(bits);
    }
  }
  return 0.0;
}

// The text after `'key':` in the header's dictionary literal.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& name) {
  const std::string quoted = fmt::format("'{}':", key);
  const auto at = header.find(quoted);
  if (at == header.npos) throw InputError(fmt::format("{}: the .npy header has no '{}'", name, key));
  std::string_view rest = header.substr(at + quoted.size());
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& name) {
  const auto close = text.find(')');
  if (text.empty() || text.front() != '(' || close == text.npos)
    throw InputError(fmt::format("{}: the .npy header has no valid shape", name));
  std::vector<std::size_t> shape;
  std::size_t value = 0;
  bool digits = false;
  for (char c : text.substr(1, close - 1)) {
    if (c >= '0' && c <= '9') {
      if (value > (std::size_t{1} << 50)) throw InputError(fmt::format("{}: absurd .npy shape", name));
      value = value * 10 + (c - '0');
      digits = true;
    } else if (c == ',') {
      if (digits) shape.push_back(value);
      value = 0;
      digits = false;
    } else if (c != ' ' && c != 'L') {
      throw InputError(fmt::format("{}: the .npy header has no valid shape", name));
    }
  }
  if (digits) shape.push_back(value);
  return shape;
}

template <class T>
std::string format_matrix(const Matrix<T>& matrix, std::string_view code) {
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}, {}), }}", code,
                                   matrix.rows(), matrix.cols());
  constexpr std::size_t kPreamble = 10;  // magic, version, header length
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(matrix.data()), matrix.size() * sizeof(T));
  return out;
}

// The fixed part in front of the values.
struct Header {
  std::string_view descr;  // without quotes: "<f8"
  std::vector<std::size_t> shape;
  std::size_t count = 1;  // values in all
  bool fortran = false;
  std::span<const std::byte> data;
};

Header parse_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("\x93NUMPY"))
    throw InputError(fmt::format("{}: not a .npy file (wrong magic)", name));
  if (bytes.size() < 12) throw InputError(fmt::format("{}: the .npy file is cut off in its header", name));
  const int version = static_cast<int>(bytes[6]);
  if (version < 1 || version > 3) throw InputError(fmt::format("{}: unknown .npy version {}", name, version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t header_size = 0;
  for (std::size_t b = 0; b < length_bytes; ++b)
    header_size |= static_cast<std::size_t>(bytes[8 + b]) << (8 * b);
  const std::size_t data_at = 8 + length_bytes + header_size;
  if (data_at > bytes.size())
    throw InputError(fmt::format("{}: the .npy file is cut off in its header", name));
  const std::string_view header_text = text.substr(8 + length_bytes, header_size);

  Header header;
  header.descr = header_value(header_text, "descr", name);
  if (header.descr.empty() || header.descr[0] != '\'')
    throw InputError(fmt::format("{}: structured .npy arrays are not supported", name));
  header.descr = header.descr.substr(1, header.descr.find('\'', 1) - 1);
  if (header.descr.ends_with('O'))
    throw InputError(fmt::format(
        "{}: the array holds Python objects (pickle), which are not read; save it with a plain type, e.g. "
        "np.asarray(names, dtype=str)",
        name));
  header.shape = parse_shape(header_value(header_text, "shape", name), name);
  for (std::size_t extent : header.shape)
    if (__builtin_mul_overflow(header.count, extent, &header.count))
      throw InputError(fmt::format("{}: absurd .npy shape", name));
  header.fortran = header_value(header_text, "fortran_order", name).starts_with("True");
  header.data = bytes.subspan(data_at);
  return header;
}

void check_length(const Header& header, std::size_t value_bytes, const std::string& name) {
  const std::size_t available = header.data.size() / value_bytes;
  if (header.count > available)
    throw InputError(
        fmt::format("{}: the .npy file is cut off: {} values of {}", name, available, header.count));
}

// The size of one text of type <U12 or |S12, 0 if the type is no text.
std::size_t text_bytes(std::string_view descr) {
  if (descr.size() < 3 || descr.size() > 9 || (descr[1] != 'U' && descr[1] != 'S') || descr[0] == '>')
    return 0;
  std::size_t length = 0;
  for (const char c : descr.substr(2)) {
    if (c < '0' || c > '9') return 0;
    length = length * 10 + static_cast<std::size_t>(c - '0');
  }
  return descr[1] == 'U' ? 4 * length : length;
}

void append_utf8(std::uint32_t code, std::string& out) {
  if (code >= 0x110000) code = 0xFFFD;
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[extra] | code >> (6 * extra));
  for (int k = extra - 1; k >= 0; --k) out += static_cast<char>(0x80 | ((code >> (6 * k)) & 0x3F));
}

}  // namespace

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const Header header = parse_header(bytes, name);
  const TypeInfo* info = nullptr;
  for (const TypeInfo& candidate : kTypes)
    if (header.descr.size() == 3 && candidate.code == header.descr.substr(1)) info = &candidate;
  if (!info || (header.descr[0] != '<' && header.descr[0] != '|' && header.descr[0] != '='))
    throw InputError(fmt::format("{}: .npy type '{}' is not supported (little-endian numbers only)", name,
                                 header.descr.substr(0, 20)));
  check_length(header, info->bytes, name);

  NpyArray result;
  result.type = info->type;
  result.shape = header.shape;
  const std::size_t count = header.count;
  result.values.resize(count);
  const std::byte* data = header.data.data();
  if (!header.fortran || result.shape.size() < 2) {
    if (info->type == NpyType::kFloat64) {
      if (count > 0) std::memcpy(result.values.data(), data, count * sizeof(double));
      return result;
    }
    for (std::size_t i = 0; i < count; ++i) result.values[i] = load_as(info->type, data + i * info->bytes);
    return result;
  }
  // Fortran order: walk the file, stepping the C-order position like an odometer whose first digit turns
  // fastest.
  const std::size_t dims = result.shape.size();
  std::vector<std::size_t> stride(dims, 1), index(dims, 0);
  for (std::size_t d = dims; d-- > 1;) stride[d - 1] = stride[d] * result.shape[d];
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < dims; ++d) at += index[d] * stride[d];
    result.values[at] = load_as(info->type, data + i * info->bytes);
    for (std::size_t d = 0; d < dims && ++index[d] == result.shape[d]; ++d) index[d] = 0;
  }
  return result;
}

bool npy_holds_text(std::span<const std::byte> bytes, const std::string& name) {
  return text_bytes(parse_header(bytes, name).descr) > 0;
}

std::vector<std::string> parse_npy_text(std::span<const std::byte> bytes, const std::string& name) {
  const Header header = parse_header(bytes, name);
  const std::size_t size = text_bytes(header.descr);
  if (size == 0)
    throw InputError(
        fmt::format("{}: .npy type '{}' where text was expected", name, header.descr.substr(0, 20)));
  check_length(header, size, name);
  std::vector<std::string> texts(header.count);
  for (std::size_t i = 0; i < header.count; ++i) {
    const std::byte* at = header.data.data() + i * size;
    if (header.descr[1] == 'S') {
      const auto* begin = reinterpret_cast<const char*>(at);
      texts[i].assign(begin, strnlen(begin, size));
      continue;
    }
    for (std::size_t k = 0; k < size; k += 4) {
      std::uint32_t code;
      std::memcpy(&code, at + k, sizeof code);
      if (code == 0) break;
      append_utf8(code, texts[i]);
    }
  }
  return texts;
}

NpyArray read_npy(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_npy(file.bytes(), path.string());
}

std::string format_npy(const Matrix<double>& matrix) {
  return format_matrix(matrix, "f8");
}
std::string format_npy(const Matrix<float>& matrix) {
  return format_matrix(matrix, "f4");
}

}  // namespace causcale
