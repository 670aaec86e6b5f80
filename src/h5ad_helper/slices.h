// Parts of HDF5 data sets.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "causcale/error.h"
#include "h5ad_helper/handle.h"

namespace causcale::h5ad_helper {

// As many entries of a list as `out` has, from `begin` on. `path` is used in the message only.
template <class T>
void read_slice(hid_t dataset, hid_t memory_type, hsize_t begin, std::vector<T>& out,
                const std::string& path) {
  if (out.empty()) return;
  const Handle space(H5Dget_space(dataset));
  const hsize_t count = out.size();
  const Handle memory(H5Screate_simple(1, &count, nullptr));
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, nullptr, &count, nullptr) < 0 ||
      H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, out.data()) < 0)
    throw InputError(fmt::format("{} cannot be read (damaged or cut off)", path));
}

}  // namespace causcale::h5ad_helper
