#include "data/h5ad.h"

#include <fmt/format.h>

#include "causcale/error.h"

#ifdef CAUSCALE_HDF5
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/file.h"
#endif

namespace causcale {

#ifdef CAUSCALE_HDF5
namespace {

// Closes an HDF5 identifier of any kind.
class Handle {
 public:
  explicit Handle(hid_t id = H5I_INVALID_HID) : id_(id) {}
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
};

// HDF5 prints its own error stack unless told otherwise; ours is the message that counts.
class SilentErrors {
 public:
  SilentErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~SilentErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  SilentErrors(const SilentErrors&) = delete;
  SilentErrors& operator=(const SilentErrors&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

constexpr std::size_t kBlockValues = std::size_t{1} << 21;  // numbers read at a time

class AnnDataFile {
 public:
  AnnDataFile(Handle file, std::string source) : file_(std::move(file)), source_(std::move(source)) {
    if (!file_.valid()) fail("not a readable HDF5 file (wrong format, or cut off)");
  }

  RawTable read(const ReadOptions& options) {
    if (options.transpose)
      throw UsageError("--transpose does not apply to .h5ad files: rows are cells there");
    RawTable raw;
    raw.variables = variable_names();
    raw.kept = choose_columns(raw.variables, options, source_);
    position_.assign(raw.variables.size(), -1);
    for (std::size_t c = 0; c < raw.kept.size(); ++c) position_[raw.kept[c]] = static_cast<std::ptrdiff_t>(c);
    kept_ = raw.kept.size();

    const std::string matrix = options.h5ad_layer.empty() ? "X" : "layers/" + options.h5ad_layer;
    if (!exists(matrix))
      fail(options.h5ad_layer.empty()
               ? "there is no X"
               : fmt::format("there is no layer {}", quoted_excerpt(options.h5ad_layer)));
    const Handle object(H5Oopen(file_, matrix.c_str(), H5P_DEFAULT));
    raw.values = H5Iget_type(object) == H5I_GROUP ? read_sparse(matrix) : read_dense(matrix);
    if (!options.label_column.empty()) {
      raw.labels = obs_column(options.label_column);
      if (raw.labels->size() != raw.values.rows())
        fail(fmt::format("obs/{} has {} entries for {} rows", options.label_column, raw.labels->size(),
                         raw.values.rows()));
    }
    return raw;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", source_, what));
  }

  // Every link on the way must exist: asking for a child of nothing is an error to HDF5.
  bool exists(const std::string& path) const {
    for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
      if (H5Lexists(file_, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
      if (slash == path.npos) return H5Oexists_by_name(file_, path.c_str(), H5P_DEFAULT) > 0;
    }
  }

  bool is_group(const std::string& path) const {
    const Handle object(H5Oopen(file_, path.c_str(), H5P_DEFAULT));
    return object.valid() && H5Iget_type(object) == H5I_GROUP;
  }

  Handle open_dataset(const std::string& path) const {
    if (!exists(path)) fail(fmt::format("{} is missing", path));
    Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT));
    if (!dataset.valid()) fail(fmt::format("{} is not a data set", path));
    return dataset;
  }

  std::vector<hsize_t> extents(hid_t dataset, const std::string& path) const {
    const Handle space(H5Dget_space(dataset));
    const int dimensions = H5Sget_simple_extent_ndims(space);
    if (dimensions < 0) fail(fmt::format("{} is unreadable", path));
    std::vector<hsize_t> shape(static_cast<std::size_t>(dimensions));
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    return shape;
  }

  // A damaged file may claim any extent. Compression by more than this is not credible, and allocating for
  // the claim is not the way to find out.
  void check_claim(hid_t dataset, const std::vector<hsize_t>& shape, const std::string& path) const {
    constexpr hsize_t kBestCompression = 4096;
    const hsize_t most = H5Dget_storage_size(dataset) * kBestCompression + kBestCompression;
    hsize_t values = 1;
    for (const hsize_t extent : shape)
      if (__builtin_mul_overflow(values, extent, &values) || values > most)
        fail(fmt::format("{} claims an impossible size", path));
  }

  void require_numbers(hid_t dataset, const std::string& path) const {
    const Handle type(H5Dget_type(dataset));
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM)
      fail(fmt::format("{} does not hold numbers", path));
  }

  // `count` entries of a one-dimensional data set from `begin` on.
  template <class T>
  void read_slice(hid_t dataset, hid_t memory_type, hsize_t begin, std::vector<T>& out,
                  const std::string& path) const {
    if (out.empty()) return;
    const Handle space(H5Dget_space(dataset));
    const hsize_t count = out.size();
    const Handle memory(H5Screate_simple(1, &count, nullptr));
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, nullptr, &count, nullptr) < 0 ||
        H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, out.data()) < 0)
      fail(fmt::format("{} cannot be read (damaged or cut off)", path));
  }

  template <class T>
  std::vector<T> read_numbers(const std::string& path, hid_t memory_type) const {
    const Handle dataset = open_dataset(path);
    require_numbers(dataset, path);
    const std::vector<hsize_t> shape = extents(dataset, path);
    if (shape.size() != 1) fail(fmt::format("{} should be a list", path));
    check_claim(dataset, shape, path);
    std::vector<T> values(shape[0]);
    read_slice(dataset, memory_type, 0, values, path);
    return values;
  }

  std::vector<std::string> read_texts(const std::string& path) const {
    const Handle dataset = open_dataset(path);
    const std::vector<hsize_t> shape = extents(dataset, path);
    if (shape.size() != 1) fail(fmt::format("{} should be a list", path));
    check_claim(dataset, shape, path);
    const std::size_t count = shape[0];
    const Handle type(H5Dget_type(dataset));
    if (H5Tget_class(type) == H5T_INTEGER) {
      std::vector<std::string> texts;
      for (const std::int64_t value : read_numbers<std::int64_t>(path, H5T_NATIVE_INT64))
        texts.push_back(fmt::to_string(value));
      return texts;
    }
    if (H5Tget_class(type) != H5T_STRING) fail(fmt::format("{} does not hold text", path));
    std::vector<std::string> texts(count);
    if (count == 0) return texts;
    const Handle memory_type(H5Tcopy(type));
    if (H5Tis_variable_str(type) > 0) {
      std::vector<char*> pointers(count, nullptr);
      if (H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
        fail(fmt::format("{} cannot be read (damaged or cut off)", path));
      for (std::size_t i = 0; i < count; ++i)
        if (pointers[i]) texts[i] = pointers[i];
      const Handle space(H5Dget_space(dataset));
      H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, pointers.data());
      return texts;
    }
    const std::size_t width = H5Tget_size(type);
    if (width > (std::size_t{1} << 20)) fail(fmt::format("{} holds absurdly long texts", path));
    std::vector<char> buffer(count * width);
    if (H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0)
      fail(fmt::format("{} cannot be read (damaged or cut off)", path));
    for (std::size_t i = 0; i < count; ++i) {
      const char* begin = buffer.data() + i * width;
      texts[i].assign(begin, std::find(begin, begin + width, '\0'));
    }
    return texts;
  }

  // A text attribute, empty if there is none.
  std::string text_attribute(const std::string& object, const char* name) const {
    if (H5Aexists_by_name(file_, object.c_str(), name, H5P_DEFAULT) <= 0) return {};
    const Handle attribute(H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT));
    const Handle type(H5Aget_type(attribute));
    const Handle space(H5Aget_space(attribute));
    if (!attribute.valid() || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
      return {};
    if (H5Tis_variable_str(type) > 0) {
      char* text = nullptr;
      if (H5Aread(attribute, type, &text) < 0 || !text) return {};
      std::string result(text);
      H5free_memory(text);
      return result;
    }
    std::vector<char> buffer(H5Tget_size(type) + 1, '\0');
    if (H5Aread(attribute, type, buffer.data()) < 0) return {};
    return buffer.data();
  }

  std::vector<std::string> variable_names() const {
    if (!exists("var")) fail("there is no var group: not an AnnData file");
    if (!is_group("var"))
      fail("var is stored in the form of AnnData before 0.7; write the file again with a newer version");
    std::string index = text_attribute("var", "_index");
    if (index.empty()) index = "_index";
    return column_texts("var", index);
  }

  // A column of var or obs: texts, or a categorical in the new (group) or old (__categories) form.
  std::vector<std::string> column_texts(const std::string& frame, const std::string& column) const {
    const std::string path = frame + "/" + column;
    if (!exists(path)) fail(fmt::format("{} has no column {}", frame, quoted_excerpt(column)));
    const std::string old_categories = frame + "/__categories/" + column;
    if (is_group(path)) return decode(path + "/codes", path + "/categories");
    if (exists(old_categories)) return decode(path, old_categories);
    return read_texts(path);
  }

  std::vector<std::string> obs_column(const std::string& column) const {
    if (!exists("obs") || !is_group("obs")) fail("there is no obs group");
    return column_texts("obs", column);
  }

  std::vector<std::string> decode(const std::string& codes_path, const std::string& categories_path) const {
    const std::vector<std::string> categories = read_texts(categories_path);
    const auto codes = read_numbers<std::int64_t>(codes_path, H5T_NATIVE_INT64);
    std::vector<std::string> texts;
    texts.reserve(codes.size());
    for (const std::int64_t code : codes) {
      if (code >= std::ssize(categories))
        fail(fmt::format("{} refers to a category that does not exist", codes_path));
      texts.push_back(code < 0 ? std::string() : categories[static_cast<std::size_t>(code)]);
    }
    return texts;
  }

  Matrix<double> zeros(std::size_t rows) const {
    std::size_t total;
    if (__builtin_mul_overflow(rows, kept_ * sizeof(double), &total)) fail("the table is absurdly large");
    return {rows, kept_};
  }

  Matrix<double> read_dense(const std::string& path) const {
    const Handle dataset = open_dataset(path);
    require_numbers(dataset, path);
    const std::vector<hsize_t> shape = extents(dataset, path);
    if (shape.size() != 2 || shape[1] != position_.size())
      fail(fmt::format("{} should have {} columns, as var has entries", path, position_.size()));
    check_claim(dataset, shape, path);
    Matrix<double> values = zeros(shape[0]);
    const hsize_t block_rows = std::max<hsize_t>(1, kBlockValues / std::max<hsize_t>(1, shape[1]));
    std::vector<double> block;
    const Handle space(H5Dget_space(dataset));
    for (hsize_t row = 0; row < shape[0]; row += block_rows) {
      const hsize_t begin[] = {row, 0}, count[] = {std::min(block_rows, shape[0] - row), shape[1]};
      block.resize(count[0] * count[1]);
      const Handle memory(H5Screate_simple(2, count, nullptr));
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr) < 0 ||
          H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data()) < 0)
        fail(fmt::format("{} cannot be read (damaged or cut off)", path));
      for (hsize_t r = 0; r < count[0]; ++r)
        for (std::size_t c = 0; c < shape[1]; ++c)
          if (position_[c] >= 0)
            values(row + r, static_cast<std::size_t>(position_[c])) = block[r * shape[1] + c];
    }
    return values;
  }

  // Compressed rows or columns. The outer axis is the one that indptr runs over.
  Matrix<double> read_sparse(const std::string& path) const {
    std::string format = text_attribute(path, "encoding-type");
    if (format.empty()) format = text_attribute(path, "h5sparse_format");
    const bool by_row = format.starts_with("csr");
    if (!by_row && !format.starts_with("csc"))
      fail(fmt::format("{} has the encoding {} (known: a dense array, csr_matrix, csc_matrix)", path,
                       quoted_excerpt(format)));
    const auto starts = read_numbers<std::int64_t>(path + "/indptr", H5T_NATIVE_INT64);
    const Handle data = open_dataset(path + "/data"), indices = open_dataset(path + "/indices");
    require_numbers(data, path + "/data");
    require_numbers(indices, path + "/indices");
    const std::vector<hsize_t> data_shape = extents(data, path + "/data"),
                               index_shape = extents(indices, path + "/indices");
    const std::int64_t entries = starts.empty() ? -1 : starts.back();
    if (entries < 0 || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
        data_shape.size() != 1 || index_shape != data_shape || static_cast<hsize_t>(entries) > data_shape[0])
      fail(fmt::format("{}: indptr, indices and data do not fit together", path));
    const std::size_t outer = starts.size() - 1, variables = position_.size();
    const std::size_t rows = by_row ? outer : observations();
    if (!by_row && outer != variables)
      fail(fmt::format("{} has {} columns, var has {} entries", path, outer, variables));

    Matrix<double> values = zeros(rows);
    std::vector<double> block;
    std::vector<std::int64_t> inner;
    std::size_t line = 0;  // the row (or column) that the entry belongs to
    for (std::int64_t at = 0; at < entries; at += static_cast<std::int64_t>(block.size())) {
      const auto count = std::min<std::size_t>(kBlockValues, static_cast<std::size_t>(entries - at));
      block.resize(count);
      inner.resize(count);
      read_slice(data, H5T_NATIVE_DOUBLE, static_cast<hsize_t>(at), block, path + "/data");
      read_slice(indices, H5T_NATIVE_INT64, static_cast<hsize_t>(at), inner, path + "/indices");
      for (std::size_t k = 0; k < count; ++k) {
        while (starts[line + 1] <= at + static_cast<std::int64_t>(k)) ++line;
        const auto other = static_cast<std::size_t>(inner[k]);  // negative ones become huge
        const std::size_t row = by_row ? line : other, column = by_row ? other : line;
        if (row >= rows || column >= variables) fail(fmt::format("{}: an index is outside the table", path));
        if (position_[column] >= 0) values(row, static_cast<std::size_t>(position_[column])) += block[k];
      }
    }
    return values;
  }

  // The length of the index of obs: columns alone do not tell how many rows there are.
  std::size_t observations() const {
    std::string index = text_attribute("obs", "_index");
    if (index.empty()) index = "_index";
    const std::string path = "obs/" + index;
    const Handle dataset = open_dataset(path);
    const std::vector<hsize_t> shape = extents(dataset, path);
    if (shape.size() != 1) fail(fmt::format("{} should be a list", path));
    check_claim(dataset, shape, path);
    return shape[0];
  }

  Handle file_;
  std::string source_;
  std::vector<std::ptrdiff_t> position_;  // column of the result of every variable, -1: left out
  std::size_t kept_ = 0;
};

}  // namespace

RawTable parse_h5ad(std::span<const std::byte> bytes, const std::string& source, const ReadOptions& options) {
  const SilentErrors silent;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access, std::size_t{1} << 20, false);
  // HDF5 copies the image and does not write to it, whatever its signature says.
  if (bytes.empty() || H5Pset_file_image(access, const_cast<std::byte*>(bytes.data()), bytes.size()) < 0)
    throw InputError(fmt::format("{}: the file is empty", source));
  return AnnDataFile(Handle(H5Fopen(source.c_str(), H5F_ACC_RDONLY, access)), source).read(options);
}

RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options) {
  { const MappedFile readable(path); }  // so that a missing file is called missing
  const SilentErrors silent;
  return AnnDataFile(Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)), path.string()).read(options);
}
#else
RawTable parse_h5ad(std::span<const std::byte>, const std::string& source, const ReadOptions&) {
  throw InputError(fmt::format(
      "{}: this program was built without HDF5 and cannot read .h5ad; save as .csv or .npz", source));
}

RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options) {
  return parse_h5ad({}, path.string(), options);
}
#endif

}  // namespace causcale
