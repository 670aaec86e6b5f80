// Files that were made to do harm: reach into other files, take all memory, claim what is not there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "archives.h"
#include "base/npy.h"
#include "data/h5ad.h"
#include "data/npz.h"
#include "data/reader.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using namespace test;

const Matrix<double> kCells(5, 3, {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0, 6, 0, 7});

std::string read_error(const std::filesystem::path& path, const ReadOptions& options = {}) {
  return error_of([&] { read_dataset(path, options); });
}

TEST(HostileNpy, ShapesWithoutValues) {
  const TempFolder folder;
  EXPECT_TRUE(contains(read_error(folder.write("a.npy", make_npy("<f8", "0, 1000000000", ""))),
                       "the table has no rows: its shape is 0 x 1000000000"));
  EXPECT_TRUE(contains(read_error(folder.write("b.npy", make_npy("<f8", "1000000000, 0", ""))),
                       "the table has no columns: its shape is 1000000000 x 0"));
  ReadOptions turned;
  turned.transpose = true;
  EXPECT_TRUE(
      contains(read_error(folder.write("c.npy", make_npy("<f8", "1000000000, 0", "")), turned), "c.npy"));
  EXPECT_TRUE(contains(read_error(folder.write("d.npy", make_npy("<f8", "2, 3, 4", std::string(192, '\0')))),
                       "3 dimensions"));
}

TEST(HostileNpy, ClaimsBeyondTheFile) {
  const TempFolder folder;
  EXPECT_TRUE(contains(read_error(folder.write("a.npy", make_npy("<f8", "1000000000, 100", "12345678"))),
                       "cut off: 1 values of 100000000000"));
  EXPECT_TRUE(
      contains(read_error(folder.write("b.npy", make_npy("<f8", "4294967296, 4294967296", ""))), "b.npy"));
  std::string long_header = make_npy("<f8", "1, 1", "12345678");
  long_header[6] = 2;  // version 2: four bytes of length, so that the next two are of the header
  EXPECT_TRUE(contains(read_error(folder.write("c.npy", long_header)), "cut off in its header"));
  std::string huge("\x93NUMPY\x02\x00\x00\x00\x20\x00", 12);
  EXPECT_TRUE(contains(read_error(folder.write("d.npy", huge + std::string(3 << 20, ' '))), "absurd"));
}

TEST(HostileNpy, LimitsOfMemory) {
  const TempFolder folder;
  const auto path = folder.write("d.npy", make_npy("|b1", "1000, 100", std::string(100000, '\1')));
  ReadOptions options;
  options.max_bytes = 100000 * 8 - 1;
  EXPECT_TRUE(
      contains(read_error(path, options), "would need 781.25 KiB of memory, more than the limit of 781.2"));
  options.max_bytes = 100000 * 8 + 100 * 64;
  EXPECT_EQ(read_error(path, options), "");
  options.transpose = true;  // a copy, and more names
  EXPECT_TRUE(contains(read_error(path, options), "would need 1.5"));
}

TEST(HostileNpz, BombsAreRefusedBeforeTheyAreInflated) {
  const TempFolder folder;
  const std::size_t size = std::size_t{32} << 20;
  write_npz(folder / "bomb.npz", {{"x", make_npy("<f8", "4194304, 1", std::string(size, '\0'))}});
  ASSERT_LT(std::filesystem::file_size(folder / "bomb.npz"), size / 500);
  ReadOptions options;
  options.max_bytes = std::size_t{16} << 20;
  EXPECT_TRUE(contains(read_error(folder / "bomb.npz", options),
                       "bomb.npz:x would need 32.00 MiB of memory, more than the limit of 16.00 MiB"));
  options.max_bytes = size + 64;
  EXPECT_EQ(read_error(folder / "bomb.npz", options), "");

  // Bytes that become doubles; names; labels; all of them together.
  write_npz(folder / "wide.npz", {{"x", make_npy("|b1", "1, 4194304", std::string(4194304, '\0'))}});
  options.max_bytes = std::size_t{64} << 20;
  EXPECT_TRUE(contains(read_error(folder / "wide.npz", options), "would need 256.00 MiB"));
  write_npz(folder / "names.npz", {{"x", format_npy(kCells)},
                                   {"var_names", make_npy("|S1", "4194304,", std::string(4194304, 'a'))}});
  EXPECT_TRUE(
      contains(read_error(folder / "names.npz", options), "names.npz:var_names would need 132.00 MiB"));
  write_npz(folder / "mask.npz", {{"x", format_npy(kCells)},
                                  {"interv", make_npy("<f8", "4194304, 3", std::string(3 * size, '\0'))}});
  EXPECT_TRUE(contains(read_error(folder / "mask.npz", options), "mask.npz:interv would need 96.00 MiB"));
}

TEST(HostileNpz, WhatIsNotAskedForIsNotInflated) {
  const TempFolder folder;
  write_npz(folder / "d.npz",
            {{"x", format_npy(kCells)},
             {"other", make_npy("<f8", "4194304, 1", std::string(std::size_t{32} << 20, '\0'))}});
  ReadOptions options;
  options.max_bytes = 1 << 20;
  EXPECT_EQ(read_dataset(folder / "d.npz", options).table.values, kCells);
}

TEST(HostileNpz, HeadersThatClaimMoreThanTheArchiveHolds) {
  const TempFolder folder;
  write_npz(folder / "d.npz", {{"x", make_npy("<f8", "1000000000, 100", std::string(800, '\0'))}});
  EXPECT_TRUE(contains(read_error(folder / "d.npz"),
                       "d.npz:x: the .npy file is cut off: 100 values of 100000000000"));
  write_npz(folder / "e.npz", {{"x", make_npy("<f8", "0, 1000000000", "")}});
  EXPECT_TRUE(contains(read_error(folder / "e.npz"), "e.npz:x: the table has no rows"));
  write_npz(folder / "f.npz", {{"x", format_npy(kCells)}, {"var_names", make_npy("<U3", "1000000000,", "")}});
  EXPECT_TRUE(contains(read_error(folder / "f.npz"), "f.npz:var_names: the .npy file is cut off"));
  write_npz(folder / "g.npz", {{"x", format_npy(kCells)}, {"interv", make_npy("|b1", "0, 1000000000", "")}});
  EXPECT_TRUE(contains(read_error(folder / "g.npz"), "g.npz:interv: the table has no rows"));
}

// The size of every array in the archive's directory, where it stands as `from`, becomes `to`.
TEST(HostileNpz, SizesInTheDirectoryThatAreLies) {
  const TempFolder folder;
  const std::string array = format_npy(kCells);
  write_npz(folder / "d.npz", {{"x", array}});
  std::ifstream in(folder / "d.npz", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const auto lie = [&](std::uint32_t size) {
    std::string bad = good;
    const std::size_t entry = bad.rfind("PK\1\2");
    std::memcpy(bad.data() + entry + 24, &size, 4);
    return read_error(folder.write("lie.npz", bad));
  };
  EXPECT_EQ(lie(static_cast<std::uint32_t>(array.size())), "");
  EXPECT_FALSE(lie(static_cast<std::uint32_t>(array.size()) - 8).empty());
  EXPECT_FALSE(lie(static_cast<std::uint32_t>(array.size()) + 8).empty());
  EXPECT_TRUE(contains(lie(4000000000u), "impossible"));
  EXPECT_FALSE(lie(0).empty());
}

#ifdef CAUSCALE_HDF5
// A file to steal from, and one that does so at `path`, everything else being sound.
class HostileH5ad : public testing::Test {
 protected:
  void SetUp() override {
    H5adWriter victim(folder_ / "secret.h5");
    victim.numbers("X", H5T_NATIVE_DOUBLE, {5, 3}, kCells.data());
    victim.texts("names", {"A", "B", "C"});
    victim.texts("labels", {"A", "A", "A", "A", "A"});
    victim.frames();
    std::ofstream(folder_ / "secret.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(kCells.data()), sizeof(double) * 15);
  }

  enum class Way { kNone, kExternalLink, kSoftToExternal, kExternalRaw, kVirtual };

  static void dataset(hid_t file, const char* path, hid_t type, const std::vector<hsize_t>& shape,
                      hid_t storage) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, storage, H5P_DEFAULT);
    ASSERT_GE(set, 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(storage);
  }

  // Puts at `path` what leads to `target` of the other file.
  void steal(hid_t file, const std::string& path, const std::string& target,
             const std::vector<hsize_t>& shape, Way way) {
    const std::string secret = (folder_ / "secret.h5").string();
    if (way == Way::kExternalLink) {
      H5Lcreate_external(secret.c_str(), target.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else if (way == Way::kSoftToExternal) {
      H5Lcreate_external(secret.c_str(), "/", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
      H5Lcreate_soft(("/elsewhere" + target).c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    } else if (way == Way::kExternalRaw) {
      const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_external(storage, (folder_ / "secret.bin").c_str(), 0, H5F_UNLIMITED);
      dataset(file, path.c_str(), H5T_NATIVE_DOUBLE, shape, storage);
    } else if (way == Way::kVirtual) {
      const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
      const hid_t all = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
      H5Pset_virtual(storage, all, secret.c_str(), target.c_str(), all);
      H5Sclose(all);
      dataset(file, path.c_str(), H5T_NATIVE_DOUBLE, shape, storage);
    }
  }

  std::string error_with(const std::string& path, const std::string& target,
                         const std::vector<hsize_t>& shape, Way way, bool label = false) {
    const auto file = folder_ / "bad.h5ad";
    {
      H5adWriter writer(file);
      if (path == "var" || path == "obs") {
        if (path == "var") writer.group("obs");
      } else {
        writer.group("var");
        writer.attribute("var", "_index", "gene");
        if (path != "var/gene") writer.texts("var/gene", {"A", "B", "C"});
        writer.group("obs");
        writer.texts("obs/_index", {"c0", "c1", "c2", "c3", "c4"});
        if (path.starts_with("obs/what/")) writer.group("obs/what");
        const std::int8_t codes[] = {0, 0, 1, 0, 1};
        if (path == "obs/what/categories") writer.numbers("obs/what/codes", H5T_NATIVE_INT8, {5}, codes);
        if (path == "obs/what/codes") writer.texts("obs/what/categories", {"ctrl", "A"});
      }
      if (path == "X/data" || path == "X/indices" || path == "X/indptr") {
        writer.group("X");
        writer.attribute("X", "encoding-type", "csr_matrix");
        const float data[] = {1, 2};
        const std::int32_t indices[] = {0, 1}, indptr[] = {0, 2, 2, 2, 2, 2};
        if (path != "X/data") writer.numbers("X/data", H5T_NATIVE_FLOAT, {2}, data);
        if (path != "X/indices") writer.numbers("X/indices", H5T_NATIVE_INT32, {2}, indices);
        if (path != "X/indptr") writer.numbers("X/indptr", H5T_NATIVE_INT32, {6}, indptr);
      } else if (path != "X") {
        writer.numbers("X", H5T_NATIVE_DOUBLE, {5, 3}, kCells.data());
      }
      if (path.starts_with("layers/")) writer.group("layers");
    }
    const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    steal(opened, path, target, shape, way);
    H5Fclose(opened);
    ReadOptions options;
    if (label) options.label_column = "what";
    if (path.starts_with("layers/")) options.h5ad_layer = path.substr(7);
    return read_error(file, options);
  }

  TempFolder folder_;
};

TEST_F(HostileH5ad, NothingLeadsOutOfTheFile) {
  const struct {
    const char *path, *target;
    std::vector<hsize_t> shape;
    bool label;
  } places[] = {{"X", "/X", {5, 3}, false},
                {"X/data", "/X", {2}, false},
                {"X/indices", "/X", {2}, false},
                {"X/indptr", "/X", {6}, false},
                {"layers/counts", "/X", {5, 3}, false},
                {"var", "/var", {3}, false},
                {"var/gene", "/names", {3}, false},
                {"obs/what", "/labels", {5}, true},
                {"obs/what/categories", "/names", {2}, true},
                {"obs/what/codes", "/labels", {5}, true}};
  for (const auto& place : places) {
    const std::string path = place.path;
    for (const Way way : {Way::kExternalLink, Way::kSoftToExternal}) {
      const std::string message = error_with(path, place.target, place.shape, way, place.label);
      EXPECT_TRUE(contains(message, "bad.h5ad: " + path)) << static_cast<int>(way);
      EXPECT_TRUE(contains(message, "is an external link to the file \"")) << path;
    }
    if (path == "var") continue;
    EXPECT_TRUE(contains(error_with(path, place.target, place.shape, Way::kExternalRaw, place.label),
                         "bad.h5ad: " + path + " has its values in another file, \""));
    EXPECT_TRUE(contains(error_with(path, place.target, place.shape, Way::kVirtual, place.label),
                         "bad.h5ad: " + path + " is a virtual data set"));
  }
}

TEST_F(HostileH5ad, SoftLinksWithinTheFileAreFollowedButNotRoundAndRound) {
  {
    H5adWriter writer(folder_ / "soft.h5ad");
    writer.frames();
    writer.group("raw");
    writer.numbers("raw/counts", H5T_NATIVE_DOUBLE, {5, 3}, kCells.data());
    writer.group("layers");
  }
  const hid_t file = H5Fopen((folder_ / "soft.h5ad").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_soft("/raw/counts", file, "X", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("relative", file, "layers/two", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/./X", file, "layers/relative", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("round", file, "layers/round", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere/at/all", file, "layers/dangling", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_EQ(read_dataset(folder_ / "soft.h5ad", {}).table.values, kCells);
  ReadOptions options;
  options.h5ad_layer = "two";
  EXPECT_EQ(read_dataset(folder_ / "soft.h5ad", options).table.values, kCells);
  options.h5ad_layer = "round";
  EXPECT_TRUE(contains(read_error(folder_ / "soft.h5ad", options), "layers/round: too many soft links"));
  options.h5ad_layer = "dangling";
  EXPECT_TRUE(contains(read_error(folder_ / "soft.h5ad", options), "no layer \"dangling\""));
}

TEST_F(HostileH5ad, ClaimsAndLimits) {
  const auto with_x = [&](const char* name, hid_t type, const std::vector<hsize_t>& shape, hid_t storage) {
    {
      H5adWriter writer(folder_ / name);
      writer.frames();
    }
    const hid_t file = H5Fopen((folder_ / name).c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    dataset(file, "X", type, shape, storage);
    H5Fclose(file);
    return folder_ / name;
  };
  const auto chunked = [] {
    const hid_t storage = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {2, 3};
    H5Pset_chunk(storage, 2, chunk);
    return storage;
  };
  EXPECT_TRUE(contains(read_error(with_x("a.h5ad", H5T_NATIVE_DOUBLE, {1000000000000, 3}, chunked())),
                       "X claims an impossible size"));
  EXPECT_TRUE(contains(read_error(with_x("b.h5ad", H5T_C_S1, {5, 3}, H5Pcreate(H5P_DATASET_CREATE))),
                       "X does not hold numbers"));
  hid_t filtered = chunked();
  const unsigned setting = 1;
  H5Pset_filter(filtered, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, &setting);
  EXPECT_EQ(read_error(with_x("c.h5ad", H5T_NATIVE_DOUBLE, {5, 3}, filtered)), "");

  ReadOptions options;
  options.max_bytes = 150;
  EXPECT_TRUE(contains(read_error(folder_ / "c.h5ad", options), "c.h5ad"));
  {
    H5adWriter writer(folder_ / "d.h5ad");
    writer.frames();
    const std::vector<double> zeros(30000);
    writer.numbers("X", H5T_NATIVE_DOUBLE, {10000, 3}, zeros.data());
  }
  options.max_bytes = 100000;
  EXPECT_TRUE(contains(read_error(folder_ / "d.h5ad", options),
                       "a table of 10000 rows and 3 columns would need 234.38 KiB"));
}

// Every single byte of a file damaged, one after the other: an answer or an InputError, within the time.
TEST_F(HostileH5ad, DamagedBytes) {
  const auto good = folder_ / "good.h5ad";
  {
    H5adWriter writer(good);
    writer.frames();
    writer.sparse("X", "csr_matrix", {1, 2, 3, 4, 5, 6, 7}, {0, 2, 2, 0, 1, 0, 2}, {0, 2, 3, 5, 5, 7});
  }
  std::ifstream in(good, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  const H5adLimits quick{.silent_seconds = 1};
  ReadOptions options;
  options.label_column = "category";
  options.max_bytes = std::size_t{64} << 20;
  int refused = 0;
  for (std::size_t at = 8; at < content.size(); at += 173) {
    std::string bad = content;
    bad[at] = static_cast<char>(bad[at] ^ 0xFF);
    try {
      read_h5ad(folder_.write("bad.h5ad", bad), options, quick);
    } catch (const InputError& error) {
      EXPECT_TRUE(contains(error.what(), "bad.h5ad"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 2);
}

TEST_F(HostileH5ad, SeveralThreadsReadAtOnce) {
  {
    H5adWriter writer(folder_ / "good.h5ad");
    writer.frames();
    writer.numbers("X", H5T_NATIVE_DOUBLE, {5, 3}, kCells.data());
  }
  std::vector<std::thread> threads;
  std::vector<Matrix<double>> tables(4);
  for (std::size_t t = 0; t < tables.size(); ++t)
    threads.emplace_back([&, t] { tables[t] = read_dataset(folder_ / "good.h5ad", {}).table.values; });
  for (std::thread& thread : threads) thread.join();
  for (const Matrix<double>& table : tables) EXPECT_EQ(table, kCells);
}
#endif

}  // namespace
}  // namespace causcale
