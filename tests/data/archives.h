// Small .npy, .npz and .h5ad files made on the spot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/zip.h"

#ifdef CAUSCALE_HDF5
#include <hdf5.h>
#endif

namespace causcale::test {

// An .npy file with the given type, shape text and raw values.
inline std::string make_npy(const std::string& descr, const std::string& shape, std::string_view values,
                            bool fortran = false) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': (" + shape + "), }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(values);
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Texts as NumPy's '<U16'.
inline std::string make_npy_text(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    std::u32string wide(text.begin(), text.end());
    wide.resize(16);
    bytes.append(reinterpret_cast<const char*>(wide.data()), 64);
  }
  return make_npy("<U16", std::to_string(texts.size()) + ",", bytes);
}

inline void write_npz(const std::filesystem::path& path, const std::map<std::string, std::string>& arrays) {
  std::vector<std::pair<std::string, std::string_view>> members;
  for (const auto& [key, content] : arrays) members.emplace_back(key + ".npy", content);
  write_file_atomically(path, format_zip(members, ZipMethod::kDeflated));
}

#ifdef CAUSCALE_HDF5
// Writes the skeleton of an AnnData file: var names, an obs column in categorical form and one of plain text.
class H5adWriter {
 public:
  explicit H5adWriter(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~H5adWriter() { H5Fclose(file_); }

  void group(const std::string& path) {
    H5Gclose(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  void numbers(const std::string& path, hid_t type, const std::vector<hsize_t>& shape, const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set = H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }

  void texts(const std::string& path, const std::vector<std::string>& values) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    numbers(path, type, {values.size()}, pointers.data());
    H5Tclose(type);
  }

  void attribute(const std::string& object, const char* name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size());
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate_by_name(file_, object.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }

  // Three genes; five cells with the perturbations ctrl, A, "B,C", ctrl, C.
  void frames() {
    group("var");
    attribute("var", "_index", "gene");
    texts("var/gene", {"A", "B", "C"});
    group("obs");
    texts("obs/_index", {"c0", "c1", "c2", "c3", "c4"});
    texts("obs/text", {"ctrl", "A", "B,C", "ctrl", "C"});
    group("obs/category");
    texts("obs/category/categories", {"A", "B,C", "C", "ctrl"});
    const std::int8_t codes[] = {3, 0, 1, -1, 2};
    numbers("obs/category/codes", H5T_NATIVE_INT8, {5}, codes);
  }

  // A matrix in compressed form below `path`.
  void sparse(const std::string& path, const char* encoding, const std::vector<float>& data,
              const std::vector<std::int32_t>& indices, const std::vector<std::int32_t>& indptr) {
    group(path);
    attribute(path, "encoding-type", encoding);
    numbers(path + "/data", H5T_NATIVE_FLOAT, {data.size()}, data.data());
    numbers(path + "/indices", H5T_NATIVE_INT32, {indices.size()}, indices.data());
    numbers(path + "/indptr", H5T_NATIVE_INT32, {indptr.size()}, indptr.data());
  }

 private:
  hid_t file_;
};
#endif

}  // namespace causcale::test
