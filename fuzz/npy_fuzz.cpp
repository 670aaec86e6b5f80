// The .npy reader: numbers and texts.
#include <span>

#include "base/npy.h"
#include "causcale/error.h"
#include "data/archives.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const auto parse : {+[](std::span<const std::byte> b) { causcale::parse_npy(b, "fuzz.npy"); },
                           +[](std::span<const std::byte> b) { causcale::parse_npy_text(b, "fuzz.npy"); },
                           +[](std::span<const std::byte> b) { causcale::npy_holds_text(b, "fuzz.npy"); }})
    try {
      parse(bytes);
    } catch (const causcale::Error&) {
    }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  using namespace causcale::test;
  return {format_npy(Matrix<double>(2, 3, 1.5)),
          format_npy(Matrix<float>(4, 1, 2.5f)),
          make_npy_text({"A", "Bcd", ""}),
          make_npy("<i2", "2, 2", raw_bytes<std::int16_t>({1, 2, 3, 4}), true),
          make_npy("|S3", "2,", "abcde"),
          make_npy("<f2", "1, 1, 2", "abcd", true)};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"'descr': '<f8'",
          "'shape': (2, 3)",
          "(99999999999, 99999999999)",
          "()",
          "(0, 5)",
          "'fortran_order': True",
          "<U2",
          "|S1",
          "|O",
          "'"};
}
