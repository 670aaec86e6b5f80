// Lists of SHA-256 beside a model file: a file is as its list says, or there is an InputError. Where the list
// has one sound line for the file and the hash is another, it must be refused.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "causcale/error.h"
#include "target.h"

namespace {

// Of a file that holds "abc".
constexpr std::string_view kHash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view kOther = "00000000000000000000000000000000000000000000000000000000000000ff";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  static const auto folder = [] {
    const auto made = std::filesystem::temp_directory_path() / ("hash_list_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    std::ofstream(made / "m.safetensors", std::ios::binary) << "abc";
    return made;
  }();
  const std::string_view list(reinterpret_cast<const char*>(data), size);
  std::ofstream(folder / "SHA256SUMS", std::ios::binary) << list;
  try {
    if (checked_sha256(folder / "m.safetensors") != kHash) std::abort();
    if (list == std::string(kOther) + "  m.safetensors") std::abort();
  } catch (const InputError&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  const std::string sound = std::string(kHash) + "  m.safetensors\n", other = std::string(kOther);
  return {sound, other + "  m.safetensors", other + " *another.safetensors\r\n" + sound, "\n\n" + sound};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"  m.safetensors", " *m.safetensors", "\r\n", std::string(kHash), std::string(kOther), "A"};
}
