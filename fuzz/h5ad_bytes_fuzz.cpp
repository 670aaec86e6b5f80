// The .h5ad reader on damaged HDF5: whatever the bytes make the library do in its helper process, the reader
// answers with a table or an InputError, within its limits of time and memory.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "causcale/error.h"
#include "data/archives.h"
#include "data/h5ad.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path =
      std::filesystem::temp_directory_path() / ("h5ad_bytes_fuzz_" + std::to_string(getpid()) + ".h5ad");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  causcale::ReadOptions options;
  options.label_column = "category";
  options.max_bytes = std::size_t{64} << 20;
  constexpr int kSilent = 2, kAllowed = 8;
  const auto begin = std::chrono::steady_clock::now();
  try {
    causcale::read_h5ad(path, options, {.silent_seconds = kSilent});
  } catch (const causcale::Error&) {
  }
  if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(kAllowed)) std::abort();
  std::filesystem::remove(path);
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds{"\x89HDF\r\n\x1a\n"};
#ifdef CAUSCALE_HDF5
  using namespace causcale::test;
  const auto path = std::filesystem::temp_directory_path() / ("h5ad_bytes_seed_" + std::to_string(getpid()));
  for (const bool dense : {true, false}) {
    {
      H5adWriter writer(path);
      writer.frames();
      const std::vector<double> cells(15, 1.5);
      if (dense)
        writer.numbers("X", H5T_NATIVE_DOUBLE, {5, 3}, cells.data());
      else
        writer.sparse("X", "csr_matrix", {1, 2, 3, 4, 5, 6, 7}, {0, 2, 2, 0, 1, 0, 2}, {0, 2, 3, 5, 5, 7});
    }
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    std::filesystem::remove(path);
  }
#endif
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {
      "TREE", "HEAP", "SNOD", "GCOL", "OHDR", "FRHP", "BTHD", std::string(8, '\xFF'), std::string(8, '\0')};
}
