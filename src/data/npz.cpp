#include "data/npz.h"

#include <fmt/format.h>

#include <initializer_list>

#include "base/file.h"
#include "causcale/error.h"

namespace causcale {

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
