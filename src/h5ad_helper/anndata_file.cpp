#include "h5ad_helper/anndata_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/excerpt.h"
#include "h5ad_helper/slices.h"

namespace causcale::h5ad_helper {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw InputError(what);
}

Handle open_file(const char* path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // its own error stacks would be printed otherwise
  return Handle(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
}

}  // namespace

AnnDataFile::AnnDataFile(const char* path) : file_(open_file(path)), objects_(file_) {
  if (!file_.valid()) fail("not a readable HDF5 file (wrong format, or cut off)");
}

std::vector<hsize_t> AnnDataFile::extents(hid_t dataset, const std::string& path) const {
  const Handle space(H5Dget_space(dataset));
  const int dimensions = H5Sget_simple_extent_ndims(space);
  if (dimensions < 0) fail(fmt::format("{} is unreadable", path));
  std::vector<hsize_t> shape(static_cast<std::size_t>(dimensions));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

// Of a list, once its claim is credible.
hsize_t AnnDataFile::length(hid_t dataset, const std::string& path) const {
  const std::vector<hsize_t> shape = extents(dataset, path);
  if (shape.size() != 1) fail(fmt::format("{} should be a list", path));
  check_claim(dataset, shape, path);
  return shape[0];
}

// A damaged file may claim any extent. Compression by more than this is not credible, and allocating for
// the claim is not the way to find out.
void AnnDataFile::check_claim(hid_t dataset, const std::vector<hsize_t>& shape,
                              const std::string& path) const {
  constexpr hsize_t kBestCompression = 4096;
  hsize_t most = 0, values = 1;
  if (__builtin_mul_overflow(H5Dget_storage_size(dataset) + 1, kBestCompression, &most))
    fail(fmt::format("{} claims an impossible size", path));
  for (const hsize_t extent : shape)
    if (__builtin_mul_overflow(values, extent, &values) || values > most)
      fail(fmt::format("{} claims an impossible size", path));
}

void AnnDataFile::require_numbers(hid_t dataset, const std::string& path) const {
  const Handle type(H5Dget_type(dataset));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_ENUM)
    fail(fmt::format("{} does not hold numbers", path));
}

std::vector<std::int64_t> AnnDataFile::read_integers(const std::string& path) const {
  const Handle dataset = objects_.open_dataset(path);
  require_numbers(dataset, path);
  std::vector<std::int64_t> values(length(dataset, path));
  read_slice(dataset, H5T_NATIVE_INT64, 0, values, path);
  return values;
}

std::vector<std::string> AnnDataFile::read_texts(const std::string& path) const {
  const Handle dataset = objects_.open_dataset(path);
  const std::size_t count = length(dataset, path);
  const Handle type(H5Dget_type(dataset));
  if (H5Tget_class(type) == H5T_INTEGER) {
    std::vector<std::string> texts;
    for (const std::int64_t value : read_integers(path)) texts.push_back(fmt::to_string(value));
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
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, width, &bytes)) fail(fmt::format("{} claims an impossible size", path));
  std::vector<char> buffer(bytes);
  if (H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0)
    fail(fmt::format("{} cannot be read (damaged or cut off)", path));
  for (std::size_t i = 0; i < count; ++i) {
    const char* begin = buffer.data() + i * width;
    texts[i].assign(begin, std::find(begin, begin + width, '\0'));
  }
  return texts;
}

// A text attribute, empty if there is none.
std::string AnnDataFile::text_attribute(const std::string& path, const char* name) const {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  const Handle object = objects_.open(path);
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  if (!attribute.valid()) return {};
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute, type, &text) < 0 || !text) return {};
    std::string result(text);
    H5free_memory(text);
    return result;
  }
  const std::size_t size = H5Tget_size(type);
  if (size > kLongest) return {};
  std::vector<char> buffer(size + 1, '\0');
  if (H5Aread(attribute, type, buffer.data()) < 0) return {};
  return buffer.data();
}

std::vector<std::string> AnnDataFile::variable_names() {
  if (!objects_.exists("var")) fail("there is no var group: not an AnnData file");
  if (!objects_.is_group("var"))
    fail("var is stored in the form of AnnData before 0.7; write the file again with a newer version");
  std::string index = text_attribute("var", "_index");
  if (index.empty()) index = "_index";
  std::vector<std::string> names = column_texts("var", index);
  position_.assign(names.size(), -1);
  return names;
}

// A column of var or obs: texts, or a categorical in the new (group) or old (__categories) form.
std::vector<std::string> AnnDataFile::column_texts(const std::string& frame,
                                                   const std::string& column) const {
  const std::string path = frame + "/" + column;
  if (!objects_.exists(path)) fail(fmt::format("{} has no column {}", frame, quoted_excerpt(column)));
  const std::string old_categories = frame + "/__categories/" + column;
  if (objects_.is_group(path)) return decode(path + "/codes", path + "/categories");
  if (objects_.exists(old_categories)) return decode(path, old_categories);
  return read_texts(path);
}

std::vector<std::string> AnnDataFile::obs_column(const std::string& column) const {
  if (!objects_.is_group("obs")) fail("there is no obs group");
  return column_texts("obs", column);
}

std::vector<std::string> AnnDataFile::decode(const std::string& codes_path,
                                             const std::string& categories_path) const {
  const std::vector<std::string> categories = read_texts(categories_path);
  const std::vector<std::int64_t> codes = read_integers(codes_path);
  std::vector<std::string> texts;
  texts.reserve(codes.size());
  for (const std::int64_t code : codes) {
    if (code >= std::ssize(categories))
      fail(fmt::format("{} refers to a category that does not exist", codes_path));
    texts.push_back(code < 0 ? std::string() : categories[static_cast<std::size_t>(code)]);
  }
  return texts;
}

// The length of the index of obs: columns alone do not tell how many rows there are.
std::size_t AnnDataFile::observations() const {
  if (!objects_.is_group("obs")) fail("there is no obs group");
  std::string index = text_attribute("obs", "_index");
  if (index.empty()) index = "_index";
  const std::string path = "obs/" + index;
  return length(objects_.open_dataset(path), path);
}

void AnnDataFile::send_matrix(const std::string& layer, const std::vector<std::uint64_t>& kept) {
  for (std::size_t c = 0; c < kept.size(); ++c) {
    if (kept[c] >= position_.size()) fail("a column that does not exist was asked for");
    position_[kept[c]] = static_cast<std::ptrdiff_t>(c);
  }
  kept_ = kept.size();
  const std::string path = layer.empty() ? "X" : "layers/" + layer;
  if (!objects_.exists(path))
    fail(layer.empty() ? "there is no X" : fmt::format("there is no layer {}", quoted_excerpt(layer)));
  if (objects_.is_group(path))
    send_sparse(path);
  else
    send_dense(path);
}

}  // namespace causcale::h5ad_helper
