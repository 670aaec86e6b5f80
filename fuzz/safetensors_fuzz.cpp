// Whatever the bytes, the safetensors reader answers with tensors inside the file or with InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const causcale::SafetensorsContent content = causcale::parse_safetensors(bytes, "fuzz");
    for (const causcale::TensorView& view : content.tensors)
      if (view.bytes.data() < bytes.data() || view.bytes.data() + view.bytes.size() > bytes.data() + size)
        std::abort();

  } catch (const causcale::InputError&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const auto file = [](std::string header, std::size_t data_bytes) {
    while (header.size() % 8 != 0) header += ' ';
    std::string out;
    for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(header.size() >> (8 * byte) & 255);
    return out + header + std::string(data_bytes, 'x');
  };
  return {
      file("{}", 0), file(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})", 24),
      file(
          R"({"__metadata__":{"format":"causcale","blocks":"2","heads":"4"},)"
          R"("w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},"v":{"dtype":"F32","shape":[],"data_offsets":[4,8]}})",
          8)};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"data_offsets\":[0,4]",
          "\"shape\":[18446744073709551615]",
          "\"dtype\":\"F64\"",
          "__metadata__",
          "[4,0]",
          "[-1,4]",
          "{\"a\":1}",
          "\"w\""};
}
