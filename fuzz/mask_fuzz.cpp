// Files of interventions as they lie on disk: the form is found out by extension and content. The first byte
// chooses extension and options.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/npy.h"
#include "causcale/error.h"
#include "data/archives.h"
#include "data/interventions.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  if (size == 0) return 0;
  static const TargetNames names{{"A", "B", "C"}, {0, 1, 2}};
  constexpr std::size_t kRows = 4;
  const auto folder = std::filesystem::temp_directory_path();
  const std::string stem = "mask_fuzz_" + std::to_string(getpid());
  const char* extensions[] = {".csv", ".json", ".npy", ".txt"};
  InterventionOptions options;
  options.file = folder / (stem + extensions[data[0] & 3]);
  options.kind = static_cast<InterventionKind>((data[0] >> 2) % 5);
  options.inverted = data[0] & 128;
  options.unknown = UnknownTargets::kIgnore;
  std::ofstream(options.file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
  if (data[0] & 64) {
    options.targets_file = folder / (stem + ".targets");
    std::ofstream(options.targets_file) << "\nA\nB,C\n";
  }
  try {
    const ParsedInterventions parsed = read_interventions(kRows, names, options);
    if (parsed.interventions.regime_of_row.size() != kRows) std::abort();
  } catch (const Error&) {
  }
  std::filesystem::remove(options.file);
  if (data[0] & 64) std::filesystem::remove(options.targets_file);
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  using namespace std::string_literals;
  using namespace causcale::test;
  return {"\0A,B,C\n0,0,0\n1,0,0\n0,1,1\n0,0,0\n"s,
          "\0A\n\nB,C\n\n"s,
          "\1{\"environments\": [{\"targets\": [], \"rows\": 2}, {\"targets\": [\"A\"], \"rows\": 2}]}"s,
          "\x40"
          "0\n1\n2\n1\n"s,
          "\2"s + make_npy("|b1", "4, 3", std::string("\0\0\0\1\0\0\0\1\1\0\0\0", 12)),
          "\x42"s + make_npy("<i8", "4,", raw_bytes<std::int64_t>({0, 1, 2, 1}))};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"rows\":",
          "\"targets\":",
          "\"environments\":",
          "target_index",
          "0,0,1\n",
          "\"",
          "\n",
          "[",
          "]",
          "{",
          "}",
          "1e9",
          "-1",
          "18446744073709551615"};
}
