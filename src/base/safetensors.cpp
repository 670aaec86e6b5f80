#include "base/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string_view>

#include "base/excerpt.h"
#include "base/file.h"
#include "base/sha256.h"
#include "causcale/error.h"

namespace causcale {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensors are read where they lie, little endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own reader
constexpr int kMaxDepth = 8;                          // a sound header needs three levels

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw InputError(fmt::format("{}: not a sound safetensors file: {}", file, what));
}

// A name of the header for a message, whatever length and bytes it has.
std::string shown(const std::string& name) {
  std::string text = quoted_excerpt(name);
  text.front() = text.back() = '\'';
  return text;
}

int bits_of(const std::string& dtype) {
  static const std::map<std::string, int> bits = {{"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8},
                                                  {"F8_E4M3", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},
                                                  {"BF16", 16},   {"I32", 32}, {"U32", 32}, {"F32", 32},
                                                  {"F64", 64},    {"I64", 64}, {"U64", 64}};
  const auto found = bits.find(dtype);
  return found == bits.end() ? 0 : found->second;
}

// nlohmann's parser keeps the last of several equal keys; in a header that hides a tensor, so it is an error.
json parse_header(const char* begin, const char* end, const std::string& file) {
  std::vector<std::set<std::string>> keys;
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth) fail(file, "the header is nested too deeply");
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      fail(file, fmt::format("the name {} occurs twice in the header", shown(parsed.get<std::string>())));
    return true;
  };
  try {
    return json::parse(begin, end, watch);
  } catch (const json::exception& error) {
    fail(file, fmt::format("the header is not JSON ({})", error.what()));
  }
}

std::uint64_t natural(const json& value, const std::string& file, const std::string& what) {
  if (!value.is_number_unsigned()) fail(file, what + " is not a whole number");
  return value.get<std::uint64_t>();
}

std::map<std::string, std::string> read_metadata(const json& value, const std::string& file) {
  if (!value.is_object()) fail(file, "'__metadata__' is not an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) fail(file, fmt::format("'__metadata__' entry {} is not text", shown(key)));
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

TensorView read_tensor(const std::string& name, const json& entry, std::span<const std::byte> data,
                       const std::string& file) {
  const std::string where = "tensor " + shown(name);
  if (!entry.is_object()) fail(file, where + " is not described by an object");
  for (const auto& [key, value] : entry.items())
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      fail(file, fmt::format("{} has an unknown field {}", where, shown(key)));
  if (!entry.contains("dtype") || !entry["dtype"].is_string()) fail(file, where + " has no dtype");
  if (!entry.contains("shape") || !entry["shape"].is_array()) fail(file, where + " has no shape");
  if (!entry.contains("data_offsets") || !entry["data_offsets"].is_array() ||
      entry["data_offsets"].size() != 2)
    fail(file, where + " needs two data_offsets");

  TensorView view;
  view.name = name;
  view.dtype = entry["dtype"].get<std::string>();
  const std::uint64_t bits = static_cast<std::uint64_t>(bits_of(view.dtype));
  if (bits == 0) fail(file, fmt::format("{} has the unknown dtype {}", where, shown(view.dtype)));
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = bits / 8;
  bool empty = false;
  for (const json& extent : entry["shape"]) {
    const std::uint64_t value = natural(extent, file, where + ": an extent of its shape");
    if (value > kLargest) fail(file, where + " is too large");
    if (value == 0) empty = true;
    if (value > 1 && bytes > kLargest / value) fail(file, where + " is too large");
    bytes *= std::max<std::uint64_t>(value, 1);
    view.shape.push_back(static_cast<std::int64_t>(value));
  }
  if (empty) bytes = 0;

  const std::uint64_t begin = natural(entry["data_offsets"][0], file, where + ": its first offset");
  const std::uint64_t end = natural(entry["data_offsets"][1], file, where + ": its second offset");
  if (begin > end || end > data.size())
    fail(file, fmt::format("{}: offsets {} to {} lie outside the {} bytes of data", where, begin, end,
                           data.size()));
  if (end - begin != bytes)
    fail(file,
         fmt::format("{}: {} bytes are stored, its shape and dtype need {}", where, end - begin, bytes));
  view.bytes = data.subspan(begin, end - begin);
  return view;
}

}  // namespace

SafetensorsContent parse_safetensors(std::span<const std::byte> bytes, const std::string& file) {
  if (bytes.size() < kLengthBytes)
    fail(file, fmt::format("it has {} bytes, too few for a header", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes || length > bytes.size() - kLengthBytes)
    fail(file,
         fmt::format("the header's length is given as {}, the file has {} bytes", length, bytes.size()));
  const char* text = reinterpret_cast<const char*>(bytes.data()) + kLengthBytes;
  if (length == 0 || text[0] != '{') fail(file, "the header does not begin with '{'");
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + length);
  const json header = parse_header(text, text + length, file);

  SafetensorsContent content;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__")
      content.metadata = read_metadata(entry, file);
    else
      content.tensors.push_back(read_tensor(name, entry, data, file));
  }
  std::stable_sort(content.tensors.begin(), content.tensors.end(),
                   [](const TensorView& a, const TensorView& b) {
                     return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data()
                                                             : a.bytes.size() < b.bytes.size();
                   });
  std::size_t expected = 0;
  for (const TensorView& view : content.tensors) {
    const std::size_t begin = static_cast<std::size_t>(view.bytes.data() - data.data());
    if (begin < expected) fail(file, fmt::format("tensor {} overlaps the one before it", shown(view.name)));
    if (begin > expected) fail(file, fmt::format("there is a hole before tensor {}", shown(view.name)));
    expected = begin + view.bytes.size();
  }
  if (expected != data.size())
    fail(file, fmt::format("{} bytes follow the last tensor", data.size() - expected));
  return content;
}

struct SafetensorsFile::Mapping {
  MappedFile file;
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : mapping_(new Mapping{MappedFile(path)}),
      content_(parse_safetensors(mapping_->file.bytes(), path.string())) {}
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;

void write_safetensors(const std::filesystem::path& path, const SafetensorsContent& content) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!content.metadata.empty()) header["__metadata__"] = content.metadata;
  std::size_t offset = 0;
  for (const TensorView& view : content.tensors) {
    if (header.contains(view.name)) throw Error(fmt::format("two tensors are named '{}'", view.name));
    header[view.name] = {
        {"dtype", view.dtype}, {"shape", view.shape}, {"data_offsets", {offset, offset + view.bytes.size()}}};
    offset += view.bytes.size();
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // the format wants tensors to start on a multiple of eight
  const std::uint64_t length = text.size();
  write_file_atomically(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(&length), kLengthBytes);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    for (const TensorView& view : content.tensors)
      out.write(reinterpret_cast<const char*>(view.bytes.data()),
                static_cast<std::streamsize>(view.bytes.size()));
  });
}

std::string content_sha256(const SafetensorsContent& content) {
  Sha256 hash;
  const auto add_number = [&](std::uint64_t number) { hash.add(std::as_bytes(std::span(&number, 1))); };
  const auto add_text = [&](const std::string& text) {  // with its length, so that no two lists look alike
    add_number(text.size());
    hash.add(std::as_bytes(std::span(text)));
  };
  for (const auto& [key, value] : content.metadata) {
    if (key == "sha256") continue;
    add_text(key);
    add_text(value);
  }
  add_number(content.tensors.size());
  std::map<std::string_view, const TensorView*> by_name;  // empty tensors have no order in a file
  for (const TensorView& view : content.tensors) by_name.emplace(view.name, &view);
  for (const auto& [name, tensor] : by_name) {
    const TensorView& view = *tensor;
    add_text(view.name);
    add_text(view.dtype);
    add_number(view.shape.size());
    for (const std::int64_t extent : view.shape) add_number(static_cast<std::uint64_t>(extent));
    add_number(view.bytes.size());
    hash.add(view.bytes);
  }
  return hash.hex();
}

}  // namespace causcale
