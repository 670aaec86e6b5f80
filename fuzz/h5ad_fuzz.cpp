// The .h5ad reader on well-formed HDF5 files with arbitrary content: lengths, indices, codes and encodings
// come from the input. Damage below that level is for fuzz_h5ad_bytes.
#include <unistd.h>

#include <algorithm>

#include <filesystem>
#include <string>

#include "causcale/error.h"
#include "data/archives.h"
#include "data/h5ad.h"
#include "target.h"

namespace {

// The input, taken as a row of small choices; zeros when it is used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  int below(int bound) { return at_ == end_ ? 0 : *at_++ % bound; }
  std::vector<std::int32_t> numbers(int longest) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(1 + below(longest)));
    for (std::int32_t& value : values) value = below(12) - 2;
    return values;
  }
  std::vector<std::string> texts(int longest) {
    std::vector<std::string> values(static_cast<std::size_t>(1 + below(longest)));
    for (std::string& value : values) value.assign(1, static_cast<char>('A' + below(6)));
    return values;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
#ifdef CAUSCALE_HDF5
  static const auto path = std::filesystem::temp_directory_path() / ("h5ad_fuzz_" + std::to_string(getpid()));
  Choices choose(data, size);
  {
    causcale::test::H5adWriter writer(path);
    writer.group("var");
    if (choose.below(4) > 0) writer.attribute("var", "_index", choose.below(3) > 0 ? "gene" : "_index");
    if (choose.below(8) > 0) writer.texts("var/gene", choose.texts(5));
    writer.group("obs");
    if (choose.below(4) > 0) writer.texts("obs/_index", choose.texts(7));
    if (choose.below(4) > 0) {
      writer.group("obs/category");
      writer.texts("obs/category/categories", choose.texts(4));
      const std::vector<std::int32_t> codes = choose.numbers(7);
      writer.numbers("obs/category/codes", H5T_NATIVE_INT32, {codes.size()}, codes.data());
    } else {
      writer.texts("obs/category", choose.texts(7));
    }
    if (choose.below(3) == 0) {
      const std::vector<double> cells(64, 1.5);
      writer.numbers("X", H5T_NATIVE_DOUBLE,
                     {static_cast<hsize_t>(choose.below(8)), static_cast<hsize_t>(choose.below(8))},
                     cells.data());
    } else {
      static const char* const kEncodings[] = {"csr_matrix", "csc_matrix", "coo"};
      const std::vector<std::int32_t> indices = choose.numbers(12), indptr = choose.numbers(7);
      const std::vector<float> values(choose.below(5) > 0 ? indices.size() : 3, 2.5f);
      std::vector<std::int32_t> starts = indptr;
      if (choose.below(3) > 0)  // mostly a sound one, so that the code behind the check is reached
        for (std::size_t k = 0; k < starts.size(); ++k)
          starts[k] =
              static_cast<std::int32_t>(k * indices.size() / std::max<std::size_t>(1, starts.size() - 1));
      writer.sparse("X", kEncodings[choose.below(3)], values, indices, starts);
    }
  }
  causcale::ReadOptions options;
  options.label_column = "category";
  try {
    causcale::read_h5ad(path, options);
  } catch (const causcale::Error&) {
  }
  std::filesystem::remove(path);
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds;
  for (int s = 0; s < 8; ++s) {
    std::string seed;
    for (int k = 0; k < 60; ++k) seed += static_cast<char>((s * 37 + k * (s + 3)) & 255);
    seeds.push_back(seed);
  }
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {};
}
