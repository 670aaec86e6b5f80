#include "data/npz.h"

#include <fmt/format.h>

#include <initializer_list>

#include "base/byte_size.h"
#include "base/file.h"
#include "causcale/error.h"

#ifdef CAUSCALE_LIBZIP
#include <zip.h>
#endif

namespace causcale {

#ifdef CAUSCALE_LIBZIP
struct NpzArchive::Handle {
  explicit Handle(zip_t* opened) : archive(opened) {}
  ~Handle() { zip_discard(archive); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  zip_t* archive;
};

namespace {

zip_t* open_archive(std::span<const std::byte> bytes, const std::string& source) {
  zip_error_t error;
  zip_error_init(&error);
  const auto fail = [&] {
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InputError(fmt::format("{}: not a readable .npz archive: {}", source, reason));
  };
  zip_source_t* memory = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!memory) fail();
  zip_t* archive = zip_open_from_source(memory, ZIP_RDONLY, &error);
  if (!archive) {
    zip_source_free(memory);
    fail();
  }
  zip_error_fini(&error);
  return archive;
}

}  // namespace

NpzArchive::NpzArchive(std::span<const std::byte> bytes, std::string source, std::size_t max_bytes)
    : source_(std::move(source)),
      left_(reading_limit(max_bytes)),
      handle_(std::make_unique<Handle>(open_archive(bytes, source_))) {
  zip_t* archive = handle_->archive;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive, index, 0);
    if (!name) continue;
    std::string key(name);
    if (!key.ends_with(".npy")) continue;
    key.resize(key.size() - 4);
    zip_stat_t info;
    zip_stat_init(&info);
    constexpr zip_uint64_t kWanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive, index, 0, &info) != 0 || (info.valid & kWanted) != kWanted)
      throw InputError(fmt::format("{}: member {} of the archive is unreadable", source_, index));
    if (!members_.emplace(key, Member{index, info.size, info.comp_size}).second)
      throw InputError(fmt::format("{}: two arrays are called {}", source_, quoted_excerpt(key)));
  }
  if (members_.empty()) throw InputError(fmt::format("{}: the archive holds no .npy array", source_));
}

NpyStream NpzArchive::open(const std::string& key) const {
  const std::string name = name_of(key);
  const auto found = members_.find(key);
  if (found == members_.end()) throw InputError(fmt::format("{}: no array {}", source_, quoted_excerpt(key)));
  const Member& member = found->second;
  // Deflate cannot shrink by more than about 1030: a larger claim is a damaged file.
  if (member.compressed < member.size / 1100 && member.size > 4096)
    throw InputError(fmt::format("{}: {} are claimed to come out of {}, which is impossible", name,
                                 format_byte_size(member.size), format_byte_size(member.compressed)));
  zip_t* archive = handle_->archive;
  const std::shared_ptr<zip_file_t> file(zip_fopen_index(archive, member.index, 0), [](zip_file_t* opened) {
    if (opened) zip_fclose(opened);
  });
  if (!file) throw InputError(fmt::format("{}: {}", name, zip_strerror(archive)));
  const ByteSource read = [file, name, left = member.size](std::byte* to, std::size_t count) mutable {
    for (std::size_t have = 0; have < count;) {
      const zip_int64_t got = zip_fread(file.get(), to + have, count - have);
      if (got <= 0) throw InputError(fmt::format("{}: damaged or cut off", name));
      have += static_cast<std::size_t>(got);
    }
    left -= count;
    // The checksum is compared when the end is read.
    std::byte beyond;
    if (left == 0 && zip_fread(file.get(), &beyond, 1) != 0)
      throw InputError(fmt::format("{}: damaged (checksum)", name));
  };
  return {read, static_cast<std::size_t>(member.size), name};
}
#else
struct NpzArchive::Handle {};

NpzArchive::NpzArchive(std::span<const std::byte>, std::string source, std::size_t) : left_(0) {
  throw InputError(fmt::format(
      "{}: this program was built without libzip and cannot read .npz; save as .npy or .csv", source));
}

NpyStream NpzArchive::open(const std::string& key) const {
  throw InputError(fmt::format("{}: cannot be read", name_of(key)));
}
#endif

NpzArchive::~NpzArchive() = default;

std::string NpzArchive::key_list() const {
  std::string list;
  for (const auto& [key, member] : members_) list += (list.empty() ? "" : ", ") + key;
  return list;
}

void NpzArchive::take_memory(const std::string& what, std::uint64_t bytes) {
  require_memory(what, bytes, left_);
  left_ -= bytes;
}

bool NpzArchive::holds_text(const std::string& key) const {
  return open(key).holds_text();
}

NpyStream NpzArchive::open_within_limits(const std::string& key) {
  NpyStream stream = open(key);
  // NumPy writes nothing there, and the checksum is only compared where an array is read to its end.
  if (stream.bytes_after() > 0)
    throw InputError(
        fmt::format("{}: {} follow the array", name_of(key), format_byte_size(stream.bytes_after())));
  take_memory(name_of(key), stream.memory_needed());
  return stream;
}

NpyArray NpzArchive::numbers(const std::string& key) {
  return open_within_limits(key).numbers();
}

std::vector<std::string> NpzArchive::texts(const std::string& key) {
  return open_within_limits(key).texts();
}

namespace {

// The first of the keys that the archive has; empty: none.
std::string find_any(const NpzArchive& archive, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (archive.contains(key)) return key;
  return {};
}

}  // namespace

RawTable npz_table(NpzArchive& archive, const std::string& source, const ReadOptions& options) {
  const std::string data = options.npz_key.empty()
                               ? find_any(archive, {"data", "x", "X", "expression_matrix"})
                               : find_any(archive, {options.npz_key.c_str()});
  if (data.empty())
    throw InputError(fmt::format(
        "{}: no array {} (found: {}; choose one with --npz-key)", source,
        options.npz_key.empty() ? "data, x, X or expression_matrix" : options.npz_key, archive.key_list()));
  Matrix<double> values = npy_table(archive.numbers(data), source + ":" + data);
  archive.take_memory(source, whole_table_memory(values.rows(), values.cols(), options));

  std::vector<std::string> names;
  if (const std::string key = find_any(archive, {"var_names", "names", "columns"}); !key.empty())
    names = archive.texts(key);
  RawTable raw;
  adopt_whole_table(std::move(values), std::move(names), options, source, raw);
  if (const std::string key = find_any(archive, {"interv", "interventions", "mask"}); !key.empty()) {
    if (archive.holds_text(key))
      raw.labels = archive.texts(key);
    else
      raw.mask = npy_table(archive.numbers(key), source + ":" + key);
  }
  return raw;
}

RawTable read_npz(const std::filesystem::path& path, const ReadOptions& options) {
  const MappedFile file(path);
  NpzArchive archive(file.bytes(), path.string(), options.max_bytes);
  return npz_table(archive, path.string(), options);
}

}  // namespace causcale
