// Configurations of training that extend others: the input is cut at lines "===" into the files
// 0.json, 1.json, ...; whatever they say of each other, the first one makes a configuration or an Error, and
// what it says as a whole extends nothing any more.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "causcale/error.h"
#include "learn/config/config.h"
#include "target.h"

namespace {

constexpr std::string_view kCut = "\n===\n";
constexpr int kMostFiles = 4;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  static const auto folder =
      std::filesystem::temp_directory_path() / ("extended_config_fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  // Names that lead out of the folder would make an input's outcome depend on the machine.
  if (rest.find('/') != rest.npos || rest.find('\\') != rest.npos || rest.find("..") != rest.npos) return 0;
  for (int number = 0; number < kMostFiles; ++number) {
    const std::string_view text = rest.substr(0, rest.find(kCut));
    std::ofstream(folder / (std::to_string(number) + ".json"), std::ios::binary) << text;
    rest.remove_prefix(std::min(text.size() + kCut.size(), rest.size()));
  }
  try {
    if (read_train_config(folder / "0.json").stages.empty()) std::abort();
    const std::string whole = whole_config_text(folder / "0.json");
    if (parse_train_config(whole, "whole").stages.empty()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  return {R"({"extends": "1.json", "seed": 4}
===
{"stages": [{"steps": 3}], "seed": 2})",
          R"({"extends": "1.json", "model": {"blocks": 2, "heads": null}, "validation": null}
===
{"extends": "2.json", "model": {"heads": 4, "embed_dim": 16}, "stages": [{"minutes": 1, "nodes": [4, 6]}]}
===
{"precision": "fp32", "validation": {"every_steps": 5, "settings": [{"nodes": 5, "edges": 6, "rows": 50}]}})",
          R"({"extends": "0.json", "stages": [{"steps": 1}]})",
          R"({"extends": "1.json"}
===
[1, 2])"};
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"extends\"", "\"0.json\"", "\"1.json\"", "\"2.json\"", "\n===\n",      "null",
          "{}",          "[]",         "\"stages\"", "\"model\"",  "\"steps\": 1", "1e999"};
}
