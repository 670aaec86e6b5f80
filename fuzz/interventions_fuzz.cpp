// Every text form of interventions; the first byte chooses the form and the options.
#include <string_view>

#include "causcale/error.h"
#include "data/interventions.h"
#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace causcale;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const TargetNames names{{"A", "B", "C", "D"}, {0, 1, -1, 2}};
  InterventionOptions options;
  options.unknown = static_cast<UnknownTargets>((data[0] >> 2) % 3);
  options.index_base = data[0] >> 7;
  constexpr std::size_t kRows = 5;
  try {
    switch (data[0] & 3) {
      case 0:
        interventions_from_lines(text, kRows, names, options, "fuzz");
        break;
      case 1:
        interventions_from_json(text, kRows, names, options, "fuzz");
        break;
      case 2: {
        const double numbers[kRows] = {0, 1, 2, 1, 0};
        interventions_from_regimes(numbers, text, kRows, names, options, "fuzz");
        break;
      }
      default: {
        const std::string labels[] = {std::string(text), "A", "", "ctrl", std::string(text.substr(0, 3))};
        interventions_from_labels(labels, names, options, "fuzz");
      }
    }
  } catch (const Error&) {
  }
  return 0;
}

std::vector<std::string> causcale::fuzz::seed_inputs() {
  std::vector<std::string> seeds;
  for (const char option : {'\0', '\4', '\x8', '\x80'}) {
    seeds.push_back(std::string(1, option) + "A\nB,C\n\n3\n0,1\n");
    seeds.push_back(
        std::string(1, static_cast<char>(option + 1)) +
        R"({"environments": [{"targets": ["A", 1], "rows": 2}, {"rows": {"first": 2, "last": 3}}, {"targets": [], "rows": [4]}]})");
    seeds.push_back(std::string(1, static_cast<char>(option + 1)) +
                    R"({"targets": [[], [0], "B"], "target_index": [0, 1, 2, 1, 0]})");
    seeds.push_back(std::string(1, static_cast<char>(option + 2)) + "\nA\nB,D\n");
    seeds.push_back(std::string(1, static_cast<char>(option + 2)) + "[[], [1], [\"A\", 2]]");
    seeds.push_back(std::string(1, static_cast<char>(option + 3)) + "A+ctrl");
  }
  return seeds;
}

std::vector<std::string> causcale::fuzz::dictionary() {
  return {"\"rows\":",           "\"targets\":", "[",  "]", "{",    "}", "-1", "1e9", "18446744073709551615",
          "9223372036854775807", "null",         "\n", ",", "\r\n", "\""};
}
