#include "h5ad_helper/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/excerpt.h"

namespace causcale::h5ad_helper {
namespace {

constexpr int kMostSoftLinks = 16;  // on the way to one object

[[noreturn]] void fail(const std::string& what) {
  throw InputError(what);
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    if (!part.empty() && part != ".") parts.push_back(part);
    at = slash + 1;
  }
  return parts;
}

// The value that a soft or external link stores.
std::vector<char> link_value(hid_t group, const std::string& name, std::size_t size,
                             const std::string& place) {
  constexpr std::size_t kLongest = 1 << 16;
  if (size == 0 || size > kLongest) fail(fmt::format("{} is a damaged link", place));
  std::vector<char> value(size + 1, '\0');
  if (H5Lget_val(group, name.c_str(), value.data(), size, H5P_DEFAULT) < 0)
    fail(fmt::format("{} is a damaged link", place));
  return value;
}

std::string external_target(const std::vector<char>& value) {
  const char *file = nullptr, *object = nullptr;
  unsigned flags = 0;
  if (H5Lunpack_elink_val(value.data(), value.size() - 1, &flags, &file, &object) < 0 || !file) return "?";
  return file;
}

}  // namespace

Handle Objects::find(const std::string& path) const {
  const std::vector<std::string> parts = parts_of(path);
  std::deque<std::string> ahead(parts.begin(), parts.end());
  Handle at(H5Gopen2(file_, "/", H5P_DEFAULT));
  int soft_links = 0;
  // One link at a time: HDF5 itself never gets to follow one that was not looked at.
  while (!ahead.empty()) {
    const std::string name = ahead.front();
    ahead.pop_front();
    if (!at.valid() || H5Iget_type(at) != H5I_GROUP) return Handle();
    if (H5Lexists(at, name.c_str(), H5P_DEFAULT) <= 0) return Handle();
    H5L_info_t info;
    if (H5Lget_info(at, name.c_str(), &info, H5P_DEFAULT) < 0)
      fail(fmt::format("{} is behind a damaged link", path));
    if (info.type == H5L_TYPE_HARD) {
      at = Handle(H5Oopen(at, name.c_str(), H5P_DEFAULT));
    } else if (info.type == H5L_TYPE_SOFT) {
      if (++soft_links > kMostSoftLinks) fail(fmt::format("{}: too many soft links follow each other", path));
      const std::string target = link_value(at, name, info.u.val_size, path).data();
      const std::vector<std::string> more = parts_of(target);
      ahead.insert(ahead.begin(), more.begin(), more.end());
      if (target.starts_with('/')) at = Handle(H5Gopen2(file_, "/", H5P_DEFAULT));
    } else if (info.type == H5L_TYPE_EXTERNAL) {
      fail(fmt::format("{} is an external link to the file {}; only what the file itself holds is read", path,
                       quoted_excerpt(external_target(link_value(at, name, info.u.val_size, path)))));
    } else {
      fail(fmt::format("{} is behind a link of a type that is not followed", path));
    }
  }
  return at;
}

bool Objects::exists(const std::string& path) const {
  return find(path).valid();
}

bool Objects::is_group(const std::string& path) const {
  const Handle object = find(path);
  return object.valid() && H5Iget_type(object) == H5I_GROUP;
}

Handle Objects::open(const std::string& path) const {
  Handle object = find(path);
  if (!object.valid()) fail(fmt::format("{} is missing or unreadable", path));
  const H5I_type_t type = H5Iget_type(object);
  if (type != H5I_GROUP && type != H5I_DATASET)
    fail(fmt::format("{} is neither a group nor a data set", path));
  if (type == H5I_DATASET) check_dataset(object, path);
  return object;
}

Handle Objects::open_dataset(const std::string& path) const {
  Handle object = open(path);
  if (H5Iget_type(object) != H5I_DATASET) fail(fmt::format("{} is not a data set", path));
  return object;
}

// The way a data set is stored is known before any of it, even its extent, is asked for.
void Objects::check_dataset(hid_t dataset, const std::string& path) const {
  const Handle stored(H5Dget_create_plist(dataset));
  if (!stored.valid()) fail(fmt::format("{} is unreadable", path));
  const H5D_layout_t layout = H5Pget_layout(stored);
  if (layout == H5D_VIRTUAL)
    fail(fmt::format(
        "{} is a virtual data set, put together from other ones; only what the file itself holds is read",
        path));
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    fail(fmt::format("{} is stored in a way that is not read", path));
  const int files = H5Pget_external_count(stored);
  if (files < 0) fail(fmt::format("{} is unreadable", path));
  if (files > 0) {
    char name[256] = "";
    off_t offset = 0;
    hsize_t size = 0;
    H5Pget_external(stored, 0, sizeof name - 1, name, &offset, &size);
    fail(fmt::format("{} has its values in another file, {}; only what the file itself holds is read", path,
                     quoted_excerpt(name)));
  }
  const int filters = H5Pget_nfilters(stored);
  for (int f = 0; f < filters; ++f) {
    unsigned flags = 0, settings = 0;
    std::size_t values = 0;
    char name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(stored, static_cast<unsigned>(f), &flags, &values, nullptr,
                                               sizeof name - 1, name, &settings);
    if (filter < 0 || H5Zfilter_avail(filter) <= 0)
      fail(
          fmt::format("{} is compressed with filter {} {}, which is not read; write it with gzip or without "
                      "compression",
                      path, static_cast<int>(filter), quoted_excerpt(name)));
  }
}

}  // namespace causcale::h5ad_helper
