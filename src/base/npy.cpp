#include "base/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <string_view>

#include "base/byte_size.h"
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

// Of one dimension; ten times as much is still a number.
constexpr std::size_t kMostExtent =
    std::min<std::uint64_t>(std::uint64_t{1} << 50, std::numeric_limits<std::size_t>::max() / 16);

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& name) {
  const auto close = text.find(')');
  if (text.empty() || text.front() != '(' || close == text.npos)
    throw InputError(fmt::format("{}: the .npy header has no valid shape", name));
  std::vector<std::size_t> shape;
  std::size_t value = 0;
  bool digits = false;
  for (char c : text.substr(1, close - 1)) {
    if (c >= '0' && c <= '9') {
      if (value > kMostExtent) throw InputError(fmt::format("{}: absurd .npy shape", name));
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

// The type of numbers that a description such as "<f8" means, if it is one that is read.
const TypeInfo* number_type(std::string_view descr) {
  if (descr.size() != 3 || (descr[0] != '<' && descr[0] != '|' && descr[0] != '=')) return nullptr;
  for (const TypeInfo& candidate : kTypes)
    if (candidate.code == descr.substr(1)) return &candidate;
  return nullptr;
}

// Never asked for more than there is: NpyStream compares sizes first.
ByteSource bytes_of(std::span<const std::byte> bytes) {
  return [bytes, at = std::size_t{0}](std::byte* to, std::size_t count) mutable {
    if (count == 0) return;
    std::memcpy(to, bytes.data() + at, count);
    at += count;
  };
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

NpyStream::NpyStream(ByteSource source, std::size_t total, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  constexpr std::size_t kFixed = 8;                             // magic and version
  constexpr std::size_t kLongestHeader = std::size_t{1} << 20;  // of plain types a few hundred bytes
  std::byte fixed[kFixed + 4];
  if (total < kFixed) throw InputError(fmt::format("{}: not a .npy file (wrong magic)", name_));
  source_(fixed, kFixed);
  if (std::memcmp(fixed, "\x93NUMPY", 6) != 0)
    throw InputError(fmt::format("{}: not a .npy file (wrong magic)", name_));
  const int version = static_cast<int>(fixed[6]);
  if (version < 1 || version > 3)
    throw InputError(fmt::format("{}: unknown .npy version {}", name_, version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const auto cut_off = [&] {
    throw InputError(fmt::format("{}: the .npy file is cut off in its header", name_));
  };
  if (total < kFixed + length_bytes) cut_off();
  source_(fixed + kFixed, length_bytes);
  std::size_t header_size = 0;
  for (std::size_t b = 0; b < length_bytes; ++b)
    header_size |= static_cast<std::size_t>(fixed[kFixed + b]) << (8 * b);
  const std::size_t before = kFixed + length_bytes;
  if (header_size > total - before) cut_off();
  if (header_size > kLongestHeader)
    throw InputError(fmt::format("{}: the .npy header has {} bytes, which is absurd", name_, header_size));
  std::string header(header_size, '\0');
  source_(reinterpret_cast<std::byte*>(header.data()), header_size);

  std::string_view descr = header_value(header, "descr", name_);
  if (descr.empty() || descr[0] != '\'')
    throw InputError(fmt::format("{}: structured .npy arrays are not supported", name_));
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (descr.ends_with('O'))
    throw InputError(fmt::format(
        "{}: the array holds Python objects (pickle), which are not read; save it with a plain type, e.g. "
        "np.asarray(names, dtype=str)",
        name_));
  descr_ = descr.substr(0, 20);
  shape_ = parse_shape(header_value(header, "shape", name_), name_);
  for (const std::size_t extent : shape_)
    if (__builtin_mul_overflow(count_, extent, &count_))
      throw InputError(fmt::format("{}: absurd .npy shape", name_));
  fortran_ = header_value(header, "fortran_order", name_).starts_with("True");

  text_bytes_ = text_bytes(descr);
  const TypeInfo* type = number_type(descr);
  item_bytes_ = type ? type->bytes : text_bytes_;
  if (item_bytes_ == 0) return;  // numbers() and texts() say so
  const std::size_t present = total - before - header_size, available = present / item_bytes_;
  if (count_ > available)
    throw InputError(fmt::format("{}: the .npy file is cut off: {} values of {}", name_, available, count_));
  bytes_after_ = present - count_ * item_bytes_;
}

std::uint64_t NpyStream::memory_needed() const {
  // A count is at most the number of bytes of a file, so that the products cannot overflow.
  if (text_bytes_ > 0) return count_ * (sizeof(std::string) + text_bytes_);
  return count_ * sizeof(double);
}

NpyArray NpyStream::numbers() {
  const TypeInfo* info = number_type(descr_);
  if (!info)
    throw InputError(
        fmt::format("{}: .npy type '{}' is not supported (little-endian numbers only)", name_, descr_));
  NpyArray result;
  result.type = info->type;
  result.shape = shape_;
  result.values.resize(count_);
  const bool in_order = !fortran_ || shape_.size() < 2;
  if (in_order && info->type == NpyType::kFloat64) {
    source_(reinterpret_cast<std::byte*>(result.values.data()), count_ * sizeof(double));
    return result;
  }
  // Fortran order: walk the file, stepping the C-order position like an odometer whose first digit turns
  // fastest.
  const std::size_t dims = shape_.size();
  std::vector<std::size_t> stride(dims, 1), index(dims, 0);
  for (std::size_t d = dims; d-- > 1;) stride[d - 1] = stride[d] * shape_[d];
  constexpr std::size_t kBlock = 1 << 14;
  std::vector<std::byte> block(std::min(kBlock, count_) * info->bytes);
  for (std::size_t begin = 0; begin < count_; begin += kBlock) {
    const std::size_t here = std::min(kBlock, count_ - begin);
    source_(block.data(), here * info->bytes);
    for (std::size_t i = 0; i < here; ++i) {
      const double value = load_as(info->type, block.data() + i * info->bytes);
      if (in_order) {
        result.values[begin + i] = value;
        continue;
      }
      std::size_t at = 0;
      for (std::size_t d = 0; d < dims; ++d) at += index[d] * stride[d];
      result.values[at] = value;
      for (std::size_t d = 0; d < dims && ++index[d] == shape_[d]; ++d) index[d] = 0;
    }
  }
  return result;
}

std::vector<std::string> NpyStream::texts() {
  if (!holds_text())
    throw InputError(fmt::format("{}: .npy type '{}' where text was expected", name_, descr_));
  std::vector<std::string> texts(count_);
  std::vector<std::byte> item(count_ > 0 ? text_bytes_ : 0);
  for (std::string& text : texts) {
    source_(item.data(), text_bytes_);
    if (descr_[1] == 'S') {
      const auto* begin = reinterpret_cast<const char*>(item.data());
      text.assign(begin, strnlen(begin, text_bytes_));
      continue;
    }
    for (std::size_t k = 0; k < text_bytes_; k += 4) {
      std::uint32_t code;
      std::memcpy(&code, item.data() + k, sizeof code);
      if (code == 0) break;
      append_utf8(code, text);
    }
  }
  return texts;
}

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name, std::size_t max_bytes) {
  NpyStream stream(bytes_of(bytes), bytes.size(), name);
  require_memory(name, stream.memory_needed(), max_bytes);
  return stream.numbers();
}

bool npy_holds_text(std::span<const std::byte> bytes, const std::string& name) {
  return NpyStream(bytes_of(bytes), bytes.size(), name).holds_text();
}

std::vector<std::string> parse_npy_text(std::span<const std::byte> bytes, const std::string& name,
                                        std::size_t max_bytes) {
  NpyStream stream(bytes_of(bytes), bytes.size(), name);
  require_memory(name, stream.memory_needed(), max_bytes);
  return stream.texts();
}

NpyArray read_npy(const std::filesystem::path& path, std::size_t max_bytes) {
  const MappedFile file(path);
  return parse_npy(file.bytes(), path.string(), max_bytes);
}

Matrix<double> npy_table(NpyArray array, const std::string& name) {
  if (array.shape.size() != 2)
    throw InputError(fmt::format("{}: an array of {} dimensions where 2 (rows, variables) are needed", name,
                                 array.shape.size()));
  if (array.values.empty())
    throw InputError(fmt::format("{}: the table has no {}: its shape is {} x {}", name,
                                 array.shape[0] == 0 ? "rows" : "columns", array.shape[0], array.shape[1]));
  return {array.shape[0], array.shape[1], std::move(array.values)};
}

}  // namespace causcale
