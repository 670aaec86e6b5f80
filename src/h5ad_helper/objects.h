// The objects of an HDF5 file by path, reached through links within the file only. Every other way to a table
// of numbers - links to other files, links of types that plug-ins define, raw data in other files, virtual
// data sets, filters of plug-ins - is refused with a message that names the object.
#pragma once

#include <string>
#include <vector>

#include "causcale/error.h"
#include "h5ad_helper/handle.h"

namespace causcale::h5ad_helper {

class Objects {
 public:
  explicit Objects(hid_t file) : file_(file) {}

  bool exists(const std::string& path) const;
  bool is_group(const std::string& path) const;
  // A group, or a data set whose values lie in the file. Throws InputError.
  Handle open(const std::string& path) const;
  Handle open_dataset(const std::string& path) const;

 private:
  Handle find(const std::string& path) const;  // not valid where there is none
  void check_dataset(hid_t dataset, const std::string& path) const;

  hid_t file_;
};

}  // namespace causcale::h5ad_helper
