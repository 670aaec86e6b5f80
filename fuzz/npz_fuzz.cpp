// The .npz reader: archive, arrays, names, labels and mask.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "base/npy.h"
#include "causcale/error.h"
#include "data/archives.h"
#include "data/npz.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  causcale::ReadOptions options;
  options.max_bytes = std::size_t{64} << 20;
  try {
    causcale::NpzArchive archive(std::as_bytes(std::span(data, size)), "fuzz.npz", options.max_bytes);
    causcale::npz_table(archive, "fuzz.npz", options);
  } catch (const causcale::Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds{"PK\5\6"};
  using namespace causcale::test;
  const auto path = std::filesystem::temp_directory_path() / ("npz_fuzz_seed_" + std::to_string(getpid()));
  const auto add = [&](const std::map<std::string, std::string>& arrays) {
    write_npz(path, arrays);
    std::ifstream in(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    std::filesystem::remove(path);
  };
  add({{"x", format_npy(Matrix<double>(3, 2, 0.5))}, {"interv", format_npy(Matrix<double>(3, 2))}});
  add({{"expression_matrix", format_npy(Matrix<double>(2, 2, 1.0))},
       {"var_names", make_npy_text({"A", "B"})},
       {"interventions", make_npy_text({"non-targeting", "A"})}});
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"PK\3\4", "PK\1\2", "PK\5\6", "x.npy", std::string(4, '\xFF')};
}
