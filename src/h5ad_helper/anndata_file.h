// AnnData's layout of an HDF5 file: var and obs with their columns, X and layers, dense or sparse.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "h5ad_helper/handle.h"
#include "h5ad_helper/objects.h"

namespace causcale::h5ad_helper {

// Throws InputError that says what is missing or damaged (without the name of the file) and std::bad_alloc.
class AnnDataFile {
 public:
  explicit AnnDataFile(const char* path);

  std::vector<std::string> variable_names();
  std::vector<std::string> obs_column(const std::string& column) const;

  // The columns `kept`, ascending positions among the variables, of X or, with a name, of a layer.
  void send_matrix(const std::string& layer, const std::vector<std::uint64_t>& kept);

 private:
  std::vector<hsize_t> extents(hid_t dataset, const std::string& path) const;
  hsize_t length(hid_t dataset, const std::string& path) const;
  void check_claim(hid_t dataset, const std::vector<hsize_t>& shape, const std::string& path) const;
  void require_numbers(hid_t dataset, const std::string& path) const;
  std::vector<std::int64_t> read_integers(const std::string& path) const;
  std::vector<std::string> read_texts(const std::string& path) const;
  std::string text_attribute(const std::string& object, const char* name) const;
  std::vector<std::string> column_texts(const std::string& frame, const std::string& column) const;
  std::vector<std::string> decode(const std::string& codes_path, const std::string& categories_path) const;
  std::size_t observations() const;

  void send_dense(const std::string& path) const;
  void send_sparse(const std::string& path) const;

  Handle file_;
  Objects objects_;
  std::vector<std::ptrdiff_t> position_;  // column of the result of every variable, -1: left out
  std::size_t kept_ = 0;
};

}  // namespace causcale::h5ad_helper
