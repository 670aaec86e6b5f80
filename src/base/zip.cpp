#include "base/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "base/excerpt.h"
#include "causcale/error.h"

#ifdef CAUSCALE_ZLIB
#include <zlib.h>
#endif

namespace causcale {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocatorBytes = 20;
constexpr std::size_t kLongestComment = 0xffff;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xffffffff;  // the true value is in a 64-bit field

// Little-endian numbers at a place; the caller has checked that they are there.
template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(value << 8 | std::to_integer<T>(bytes[at + i]));
  return value;
}

[[noreturn]] void refuse(const std::string& source, const std::string& reason) {
  throw InputError(fmt::format("{}: not a readable .npz archive: {}", source, reason));
}

// Where the record at the end begins: the last one whose comment reaches exactly to the end of the file.
std::size_t find_end(std::span<const std::byte> archive, const std::string& source) {
  if (archive.size() < kEndBytes) refuse(source, "it is shorter than an empty zip archive");
  const std::size_t last = archive.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kLongestComment);
  for (std::size_t at = last + 1; at-- > first;)
    if (number_at<std::uint32_t>(archive, at) == kEnd &&
        at + kEndBytes + number_at<std::uint16_t>(archive, at + 20) == archive.size())
      return at;
  refuse(source, "the directory at the end of a zip archive is missing (is the file cut off?)");
}

struct Directory {
  std::uint64_t entries, bytes, start;
};

Directory find_directory(std::span<const std::byte> archive, const std::string& source) {
  const std::size_t end = find_end(archive, source);
  if (number_at<std::uint16_t>(archive, end + 4) != number_at<std::uint16_t>(archive, end + 6))
    refuse(source, "it is one of several volumes");
  Directory found{number_at<std::uint16_t>(archive, end + 10), number_at<std::uint32_t>(archive, end + 12),
                  number_at<std::uint32_t>(archive, end + 16)};
  std::size_t before = end;  // the directory ends here at the latest
  if (found.entries == 0xffff || found.bytes == kIn64 || found.start == kIn64) {
    if (end >= kLocatorBytes && number_at<std::uint32_t>(archive, end - kLocatorBytes) == kEnd64Locator) {
      const auto at = number_at<std::uint64_t>(archive, end - kLocatorBytes + 8);
      if (at > end - kLocatorBytes || end - kLocatorBytes - at < kEnd64Bytes ||
          number_at<std::uint32_t>(archive, at) != kEnd64)
        refuse(source, "its zip64 record is missing");
      found = {number_at<std::uint64_t>(archive, at + 32), number_at<std::uint64_t>(archive, at + 40),
               number_at<std::uint64_t>(archive, at + 48)};
      before = at;
    }
  }
  if (found.start > before || found.bytes > before - found.start)
    refuse(source, "its directory does not lie within the file");
  if (found.entries > found.bytes / kEntryBytes) refuse(source, "its directory is too short for its members");
  return found;
}

// Values that did not fit 32 bits stand in an extra field, in this order, and only they.
void read_zip64_field(std::span<const std::byte> extra, ZipMember& member, const std::string& source) {
  std::uint64_t* const wide[] = {&member.size, &member.compressed, &member.header};
  if (std::ranges::none_of(wide, [](const std::uint64_t* value) { return *value == kIn64; })) return;
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::size_t length = number_at<std::uint16_t>(extra, at + 2), start = at + 4;
    if (length > extra.size() - start) break;
    at = start + length;
    if (number_at<std::uint16_t>(extra, start - 4) != kZip64Field) continue;
    std::size_t place = start;
    for (std::uint64_t* value : wide) {
      if (*value != kIn64) continue;
      if (at - place < 8)
        refuse(source, fmt::format("the size of member {} is missing", quoted_excerpt(member.name)));
      *value = number_at<std::uint64_t>(extra, place);
      place += 8;
    }
    return;
  }
}

}  // namespace

std::vector<ZipMember> read_zip_directory(std::span<const std::byte> archive, const std::string& source) {
  const Directory directory = find_directory(archive, source);
  std::span<const std::byte> rest = archive.subspan(directory.start, directory.bytes);
  std::vector<ZipMember> members;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (rest.size() < kEntryBytes || number_at<std::uint32_t>(rest, 0) != kDirectoryEntry)
      refuse(source, fmt::format("member {} of its directory is damaged", i));
    const std::size_t name = number_at<std::uint16_t>(rest, 28), extra = number_at<std::uint16_t>(rest, 30);
    const std::size_t comment = number_at<std::uint16_t>(rest, 32);
    if (rest.size() - kEntryBytes < name + extra + comment)
      refuse(source, fmt::format("member {} of its directory is cut off", i));
    ZipMember& member = members.emplace_back();
    member.name.assign(reinterpret_cast<const char*>(rest.data()) + kEntryBytes, name);
    member.encrypted = (number_at<std::uint16_t>(rest, 8) & 1) != 0;
    member.method = number_at<std::uint16_t>(rest, 10);
    member.checksum = number_at<std::uint32_t>(rest, 16);
    member.compressed = number_at<std::uint32_t>(rest, 20);
    member.size = number_at<std::uint32_t>(rest, 24);
    member.header = number_at<std::uint32_t>(rest, 42);
    read_zip64_field(rest.subspan(kEntryBytes + name, extra), member, source);
    rest = rest.subspan(kEntryBytes + name + extra + comment);
  }
  return members;
}

namespace {

constexpr std::array<std::array<std::uint32_t, 256>, 8> make_crc_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    tables[0][i] = value;
  }
  for (std::uint32_t i = 0; i < 256; ++i)
    for (std::size_t k = 1; k < 8; ++k)
      tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 255];
  return tables;
}

// CRC-32, eight bytes a step.
std::uint32_t add_to_crc(std::uint32_t crc, const std::byte* bytes, std::size_t count) {
  static constexpr auto kTables = make_crc_tables();
  crc = ~crc;
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  for (; count >= 8; bytes += 8, count -= 8) {
    crc ^= byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
    crc = kTables[7][crc & 255] ^ kTables[6][crc >> 8 & 255] ^ kTables[5][crc >> 16 & 255] ^
          kTables[4][crc >> 24] ^ kTables[3][byte(4)] ^ kTables[2][byte(5)] ^ kTables[1][byte(6)] ^
          kTables[0][byte(7)];
  }
  for (; count > 0; ++bytes, --count) crc = crc >> 8 ^ kTables[0][(crc ^ byte(0)) & 255];
  return ~crc;
}

}  // namespace

#ifdef CAUSCALE_ZLIB
struct ZipStream::Inflater {
  z_stream stream{};
  bool ended = false;

  explicit Inflater(const std::string& name) {
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)  // negative: without zlib's own header
      throw InputError(fmt::format("{}: unpacking failed: no memory", name));
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Up to `count` bytes; fewer where the data end or are damaged.
  std::size_t read(std::span<const std::byte>& data, std::byte* to, std::size_t count) {
    std::size_t have = 0;
    while (have < count && !ended) {
      constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
      const std::size_t given = std::min(data.size(), kMost), wanted = std::min(count - have, kMost);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
      stream.avail_in = static_cast<uInt>(given);
      stream.next_out = reinterpret_cast<Bytef*>(to + have);
      stream.avail_out = static_cast<uInt>(wanted);
      const int outcome = inflate(&stream, Z_NO_FLUSH);
      data = data.subspan(given - stream.avail_in);
      have += wanted - stream.avail_out;
      ended = outcome == Z_STREAM_END;
      if (outcome != Z_OK && !ended) break;  // no progress is a failure, too
    }
    return have;
  }
};
#else
struct ZipStream::Inflater {
  std::size_t read(std::span<const std::byte>&, std::byte*, std::size_t) { return 0; }
};
#endif

ZipStream::~ZipStream() = default;
ZipStream::ZipStream(ZipStream&&) noexcept = default;
ZipStream& ZipStream::operator=(ZipStream&&) noexcept = default;

ZipStream::ZipStream(std::span<const std::byte> archive, const ZipMember& member, std::string name)
    : name_(std::move(name)), left_(member.size), expected_checksum_(member.checksum) {
  if (member.encrypted) throw InputError(fmt::format("{}: it is encrypted: save it without", name_));
  if (member.method != 0 && member.method != 8)
    throw InputError(fmt::format("{}: it is compressed by method {}; readable are 0 (stored) and 8 (deflate)",
                                 name_, member.method));
  if (member.header > archive.size() || archive.size() - member.header < kLocalBytes ||
      number_at<std::uint32_t>(archive, member.header) != kLocalHeader)
    throw InputError(fmt::format("{}: damaged: it does not lie where the archive's directory says", name_));
  const std::span<const std::byte> local = archive.subspan(member.header);
  const std::size_t skipped =
      kLocalBytes + number_at<std::uint16_t>(local, 26) + number_at<std::uint16_t>(local, 28);
  if (local.size() < skipped || local.size() - skipped < member.compressed)
    throw InputError(fmt::format("{}: damaged or cut off", name_));
  data_ = local.subspan(skipped, member.compressed);
  if (member.method == 0) {
    if (member.size != member.compressed)
      throw InputError(fmt::format("{}: damaged: it is not compressed, yet {} bytes are said to take {}",
                                   name_, member.size, member.compressed));
    return;
  }
#ifdef CAUSCALE_ZLIB
  inflater_ = std::make_unique<Inflater>(name_);
#else
  throw InputError(fmt::format(
      "{}: it is compressed, and this program was built without zlib: save it uncompressed", name_));
#endif
}

void ZipStream::read(std::byte* to, std::size_t count) {
  if (count == 0) return;
  std::size_t got = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
  if (inflater_) {
    got = inflater_->read(data_, to, got);
  } else {
    std::memcpy(to, data_.data(), got);
    data_ = data_.subspan(got);
  }
  if (got < count) throw InputError(fmt::format("{}: damaged or cut off", name_));
  checksum_ = add_to_crc(checksum_, to, count);
  left_ -= count;
  if (left_ == 0) check_end();
}

void ZipStream::check_end() {
  std::byte beyond;
  if (inflater_ && (inflater_->read(data_, &beyond, 1) > 0 || !data_.empty()))
    throw InputError(fmt::format("{}: damaged: it is longer than the archive's directory says", name_));
  if (checksum_ != expected_checksum_) throw InputError(fmt::format("{}: damaged (checksum)", name_));
}

namespace {

template <class T>
void append_number(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to += static_cast<char>(value >> 8 * i & 255);
}

// Empty where the program has no zlib or the content does not shrink.
std::string deflated([[maybe_unused]] std::string_view content) {
#ifdef CAUSCALE_ZLIB
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("packing failed: no memory");
  std::string result(content.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const bool fits = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  result.resize(fits ? result.size() - stream.avail_out : 0);
  deflateEnd(&stream);
  return result;
#else
  return {};
#endif
}

}  // namespace

std::string format_zip(std::span<const std::pair<std::string, std::string_view>> members, ZipMethod method) {
  std::string file, directory;
  for (const auto& [name, content] : members) {
    if (name.size() > 0xffff || content.size() >= kIn64 || file.size() + content.size() >= kIn64)
      throw Error(fmt::format("{} is too large for a zip archive", quoted_excerpt(name)));
    const std::string packed = method == ZipMethod::kDeflated ? deflated(content) : std::string();
    const std::string_view stored = packed.empty() ? content : std::string_view(packed);
    const auto start = static_cast<std::uint32_t>(file.size());
    std::string common;                             // to both headers
    append_number<std::uint16_t>(common, 20);       // the version that can read it: 2.0
    append_number<std::uint16_t>(common, 1 << 11);  // names are UTF-8
    append_number<std::uint16_t>(common, packed.empty() ? 0 : 8);
    append_number<std::uint16_t>(common, 0);           // time
    append_number<std::uint16_t>(common, 1 << 5 | 1);  // date: 1 January 1980
    append_number(common, add_to_crc(0, reinterpret_cast<const std::byte*>(content.data()), content.size()));
    append_number(common, static_cast<std::uint32_t>(stored.size()));
    append_number(common, static_cast<std::uint32_t>(content.size()));
    append_number(common, static_cast<std::uint16_t>(name.size()));
    append_number<std::uint16_t>(common, 0);  // extra fields

    append_number(file, kLocalHeader);
    file.append(common).append(name).append(stored);
    append_number(directory, kDirectoryEntry);
    append_number<std::uint16_t>(directory, 20);
    directory += common;
    directory.append(10, '\0');  // comment, volume, attributes
    append_number(directory, start);
    directory += name;
  }
  if (members.size() >= 0xffff || file.size() + directory.size() >= kIn64)
    throw Error("the content is too large for a zip archive");
  const std::size_t start = file.size();
  file += directory;
  append_number(file, kEnd);
  append_number<std::uint32_t>(file, 0);  // volumes
  for (int i = 0; i < 2; ++i) append_number(file, static_cast<std::uint16_t>(members.size()));
  append_number(file, static_cast<std::uint32_t>(directory.size()));
  append_number(file, static_cast<std::uint32_t>(start));
  append_number<std::uint16_t>(file, 0);  // comment
  return file;
}

}  // namespace causcale
