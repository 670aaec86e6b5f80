// How often is an arrow among continuous and binary columns right that is said to be so probable?
//
// Tables of 7 columns with 9 links: every second table has Gaussian noise, the others Laplace's; 3 or 4
// columns, in random places, are binary. A continuous column is a linear function of its parents and noise, a
// binary one is 1 with the logistic function's probability of such a sum. Of every link found (more probable
// than one half in one direction) the direction is compared with the truth, by the arrow's probability; of
// binary pairs alone nothing tells it.
//
//   mixed_bench [tables=16] [rows=2000] [model=] [stacking=auto|off] [seed=1]
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/shuffle.h"
#include "causcale/discover.h"
#include "core/option_names.h"

namespace {

using namespace causcale;

constexpr int kColumns = 7, kLinks = 9, kBins = 5;

struct MixedTable {
  Dataset dataset;
  Matrix<std::uint8_t> edges = Matrix<std::uint8_t>(kColumns, kColumns);
};

double laplace(RandomStream& random) {  // variance 1
  const double u = random.uniform() - 0.5;
  return -std::copysign(std::log(std::max(1e-12, 1.0 - 2.0 * std::abs(u))), u) / std::sqrt(2.0);
}

MixedTable draw(std::uint64_t seed, std::uint32_t index, std::size_t rows) {
  RandomStream random(seed, index, 0x6d697864);
  MixedTable table;
  std::vector<int> order(kColumns), kinds(kColumns, 0);
  for (int v = 0; v < kColumns; ++v) order[static_cast<std::size_t>(v)] = v;
  shuffle(order, random);
  const int binary = 3 + static_cast<int>(random.below(2));
  for (int k = 0; k < binary; ++k) kinds[static_cast<std::size_t>(k)] = 1;
  shuffle(kinds, random);
  std::vector<std::pair<int, int>> pairs;  // places in the order
  for (int a = 0; a < kColumns; ++a)
    for (int b = a + 1; b < kColumns; ++b) pairs.emplace_back(a, b);
  shuffle(pairs, random);
  Matrix<double> weights(kColumns, kColumns);
  for (int k = 0; k < kLinks; ++k) {
    const auto [a, b] = pairs[static_cast<std::size_t>(k)];
    const auto i = static_cast<std::size_t>(order[static_cast<std::size_t>(a)]);
    const auto j = static_cast<std::size_t>(order[static_cast<std::size_t>(b)]);
    table.edges(i, j) = 1;
    weights(i, j) = (random.coin() ? 1.0 : -1.0) * random.uniform(0.6, 1.4);
  }
  const bool gaussian = index % 2 == 0;
  Matrix<double>& values = table.dataset.table.values;
  values = Matrix<double>(rows, kColumns);
  for (std::size_t r = 0; r < rows; ++r)
    for (const int column : order) {
      const auto v = static_cast<std::size_t>(column);
      double sum = 0.0;
      for (std::size_t parent = 0; parent < kColumns; ++parent)
        if (weights(parent, v) != 0.0)
          sum +=
              weights(parent, v) * (kinds[parent] == 1 ? 2.0 * values(r, parent) - 1.0 : values(r, parent));
      if (kinds[v] == 1)
        values(r, v) = random.uniform() < 1.0 / (1.0 + std::exp(-2.0 * sum)) ? 1.0 : 0.0;
      else
        values(r, v) = sum + (gaussian ? random.normal() : laplace(random));
    }
  for (int v = 0; v < kColumns; ++v) table.dataset.table.names.push_back(fmt::format("x{}", v));
  return table;
}

struct Count {
  int arrows = 0, right = 0;
  double probability = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 16;
  const auto rows = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 2000);
  DiscoverOptions options;
  if (argc > 3) options.model = argv[3];
  if (argc > 4) options.stacking = choice_named(kStackingNames, std::string(argv[4]), "stacking");
  const std::uint64_t seed = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1;

  std::array<std::array<Count, kBins>, 2> counts{};  // [noise][tenth from 50 % on]
  int found = 0, false_links = 0, missed = 0;
  for (int k = 0; k < tables; ++k) {
    const MixedTable table = draw(seed, static_cast<std::uint32_t>(k), rows);
    const DiscoverResult result = discover(table.dataset, options);
    for (std::size_t i = 0; i < kColumns; ++i)
      for (std::size_t j = i + 1; j < kColumns; ++j) {
        const double forward = result.probabilities(i, j), reverse = result.probabilities(j, i);
        const bool link = table.edges(i, j) || table.edges(j, i);
        const double p = std::max(forward, reverse);
        if (p <= 0.5) {
          missed += link;
          continue;
        }
        (link ? found : false_links) += 1;
        if (!link) continue;
        Count& count = counts[static_cast<std::size_t>(k % 2)]
                             [std::min<std::size_t>(kBins - 1, static_cast<std::size_t>((p - 0.5) * 10.0))];
        ++count.arrows;
        count.right += forward > reverse ? table.edges(i, j) : table.edges(j, i);
        count.probability += p;
      }
  }
  fmt::print("{} tables of {} rows: {} links found, {} below one half, {} false\n", tables, rows, found,
             missed, false_links);
  for (int noise = 0; noise < 2; ++noise)
    for (int bin = 0; bin < kBins; ++bin) {
      const Count& count = counts[static_cast<std::size_t>(noise)][static_cast<std::size_t>(bin)];
      fmt::print("{:8}  {:3}-{:3} %   {:3} of {:3} arrows right, said {:5.1f} %\n",
                 noise == 0 ? "Gaussian" : "Laplace", 50 + 10 * bin, 60 + 10 * bin, count.right, count.arrows,
                 count.arrows > 0 ? 100.0 * count.probability / count.arrows : 0.0);
    }
}
