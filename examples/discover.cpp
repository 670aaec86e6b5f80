// The library in a few lines: make a table, find its causes. Only public headers, no torch.
//
// Rain makes the street wet, wet streets make cars slip; a sprinkler also wets the street. The sprinkler is
// switched by hand in some rows, which the program is told.
#include <causcale/discover.h>

#include <cstdio>
#include <exception>
#include <random>

int main() {
  constexpr std::size_t kRows = 600;
  causcale::Dataset data;
  data.table.names = {"rain", "sprinkler", "wet", "slips"};
  data.table.values = causcale::Matrix<double>(kRows, 4);
  data.interventions.regimes = {{}, {1}};  // untouched; sprinkler set by hand
  data.interventions.regime_of_row.resize(kRows);

  std::mt19937 generator(1);
  std::normal_distribution<double> noise;
  for (std::size_t r = 0; r < kRows; ++r) {
    const bool by_hand = r < kRows / 3;
    data.interventions.regime_of_row[r] = by_hand;
    auto row = data.table.values.row(r);
    row[0] = noise(generator);
    row[1] = by_hand ? 2 * noise(generator) : -0.8 * row[0] + 0.5 * noise(generator);
    row[2] = 0.9 * row[0] + 0.7 * row[1] + 0.5 * noise(generator);
    row[3] = 0.8 * row[2] + 0.5 * noise(generator);
  }

  try {
    const causcale::DiscoverResult result = causcale::discover(data, {.acyclic = true});
    for (const causcale::Edge& edge : result.graph.edges())
      std::printf("%s -> %s  %.2f\n", result.names[edge.source].c_str(), result.names[edge.target].c_str(),
                  result.probabilities(edge.source, edge.target));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
