// The library in a few lines: make a table with known causes, find them again. Only public headers, no torch.
//
// Ten variables; each acts on the next one and on the third after it. In some rows one variable is set at
// random by hand, which the program is told.
#include <causcale/discover.h>

#include <cstdio>
#include <exception>
#include <random>
#include <string>

int main() {
  constexpr int kVariables = 10;
  constexpr std::size_t kRows = 1000;
  causcale::Dataset data;
  data.table.values = causcale::Matrix<double>(kRows, kVariables);
  data.interventions.regimes.push_back({});  // nothing was touched
  for (int v = 0; v < kVariables; ++v) {
    data.table.names.push_back("v" + std::to_string(v));
    data.interventions.regimes.push_back({v});
  }

  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0.0, 0.5);
  std::uniform_real_distribution<double> by_hand(-1.0, 1.0);
  for (std::size_t r = 0; r < kRows; ++r) {
    const int regime = static_cast<int>(r % (kVariables + 1));
    data.interventions.regime_of_row.push_back(regime);
    for (int v = 0; v < kVariables; ++v) {
      double value = v == 0 || regime == v + 1 ? by_hand(generator) : noise(generator);
      if (regime != v + 1) {
        if (v >= 1) value += 0.9 * data.table.values(r, v - 1);
        if (v >= 3) value -= 0.6 * data.table.values(r, v - 3);
      }
      data.table.values(r, v) = value;
    }
  }

  try {
    const causcale::DiscoverResult result = causcale::discover(data, {.acyclic = true});
    for (const auto& [source, target] : result.graph.edges())
      std::printf("%s -> %s  %.2f  %s\n", result.names[source].c_str(), result.names[target].c_str(),
                  result.probabilities(source, target),
                  target == source + 1 || target == source + 3 ? "true" : "false");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
