#include "data/npz.h"

#include <fmt/format.h>

#include <initializer_list>

#include "base/file.h"
#include "base/npy.h"
#include "causcale/error.h"

#ifdef CAUSCALE_LIBZIP
#include <zip.h>

#include <memory>
#endif

namespace causcale {

#ifdef CAUSCALE_LIBZIP
namespace {

std::vector<std::byte> read_member(zip_t* archive, zip_uint64_t index, const std::string& source) {
  zip_stat_t info;
  zip_stat_init(&info);
  constexpr zip_uint64_t kWanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_NAME;
  if (zip_stat_index(archive, index, 0, &info) != 0 || (info.valid & kWanted) != kWanted)
    throw InputError(fmt::format("{}: member {} of the archive is unreadable", source, index));
  // Deflate cannot shrink by more than about 1030: a larger claim is a damaged file, not a reason to
  // allocate.
  if (info.size > info.comp_size * 1100 + 4096)
    throw InputError(fmt::format("{}: member {} claims an impossible size", source, info.name));
  std::vector<std::byte> bytes(info.size);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> member(zip_fopen_index(archive, index, 0),
                                                                 zip_fclose);
  if (!member) throw InputError(fmt::format("{}: member {}: {}", source, info.name, zip_strerror(archive)));
  zip_uint64_t have = 0;
  while (have < info.size) {
    const zip_int64_t got = zip_fread(member.get(), bytes.data() + have, info.size - have);
    if (got <= 0) throw InputError(fmt::format("{}: member {} is damaged or cut off", source, info.name));
    have += static_cast<zip_uint64_t>(got);
  }
  // The checksum is compared when the end is read.
  std::byte beyond;
  if (zip_fread(member.get(), &beyond, 1) != 0)
    throw InputError(fmt::format("{}: member {} is damaged (checksum)", source, info.name));
  return bytes;
}

}  // namespace

NpzArrays parse_npz(std::span<const std::byte> bytes, const std::string& source) {
  zip_error_t error;
  zip_error_init(&error);
  const auto fail = [&] {
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw InputError(fmt::format("{}: not a readable .npz archive: {}", source, reason));
  };
  zip_source_t* memory = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!memory) fail();
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open_from_source(memory, ZIP_RDONLY, &error),
                                                         zip_discard);
  if (!archive) {
    zip_source_free(memory);
    fail();
  }
  zip_error_fini(&error);
  NpzArrays arrays;
  const zip_int64_t members = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < members; ++i) {
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (!name) continue;
    std::string key(name);
    if (!key.ends_with(".npy")) continue;
    key.resize(key.size() - 4);
    arrays[key] = read_member(archive.get(), static_cast<zip_uint64_t>(i), source);
  }
  if (arrays.empty()) throw InputError(fmt::format("{}: the archive holds no .npy array", source));
  return arrays;
}
#else
NpzArrays parse_npz(std::span<const std::byte>, const std::string& source) {
  throw InputError(fmt::format(
      "{}: this program was built without libzip and cannot read .npz; save as .npy or .csv", source));
}
#endif

namespace {

const std::vector<std::byte>* find_any(const NpzArrays& arrays, std::initializer_list<const char*> keys,
                                       std::string& found) {
  for (const char* key : keys)
    if (const auto at = arrays.find(key); at != arrays.end()) {
      found = key;
      return &at->second;
    }
  return nullptr;
}

std::string key_list(const NpzArrays& arrays) {
  std::string list;
  for (const auto& [key, bytes] : arrays) list += (list.empty() ? "" : ", ") + key;
  return list;
}

Matrix<double> as_matrix(NpyArray array, const std::string& name) {
  if (array.shape.size() != 2)
    throw InputError(fmt::format("{}: an array of {} dimensions where 2 (rows, variables) are needed", name,
                                 array.shape.size()));
  return {array.shape[0], array.shape[1], std::move(array.values)};
}

}  // namespace

RawTable npz_table(const NpzArrays& arrays, const std::string& source, const ReadOptions& options) {
  std::string key = options.npz_key;
  const std::vector<std::byte>* data = nullptr;
  if (key.empty())
    data = find_any(arrays, {"data", "x", "X", "expression_matrix"}, key);
  else
    data = find_any(arrays, {options.npz_key.c_str()}, key);
  if (!data)
    throw InputError(fmt::format(
        "{}: no array {} (found: {}; choose one with --npz-key)", source,
        options.npz_key.empty() ? "data, x, X or expression_matrix" : options.npz_key, key_list(arrays)));
  Matrix<double> values = as_matrix(parse_npy(*data, source + ":" + key), source + ":" + key);

  std::vector<std::string> names;
  if (const auto* bytes = find_any(arrays, {"var_names", "names", "columns"}, key))
    names = parse_npy_text(*bytes, source + ":" + key);
  RawTable raw;
  adopt_whole_table(std::move(values), std::move(names), options, source, raw);
  if (const auto* bytes = find_any(arrays, {"interv", "interventions", "mask"}, key)) {
    const std::string name = source + ":" + key;
    if (npy_holds_text(*bytes, name)) {
      raw.labels = parse_npy_text(*bytes, name);
    } else {
      raw.mask = as_matrix(parse_npy(*bytes, name), name);
    }
  }
  return raw;
}

RawTable read_npz(const std::filesystem::path& path, const ReadOptions& options) {
  const MappedFile file(path);
  return npz_table(parse_npz(file.bytes(), path.string()), path.string(), options);
}

}  // namespace causcale
