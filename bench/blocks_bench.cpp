// How good are answers in blocks of columns at tables of thousands of variables, beside the table as a whole?
//
// Simulated as in the paper: Erdos-Renyi, 2 edges per node, perfect interventions. All blocks of a wide table
// take long on a processor; a few of them, spread over all, tell the same: the average precision over the
// pairs with an end at the core of one of those. The other block of such a pair, which would add what its own
// core tells, is left out, so that all blocks together do better.
//
//   blocks_bench COLUMNS MECHANISM [block columns=500] [blocks to run=4, 0: all] [model=synthetic]
//   [rows=1000] [seed=1]
//                [threads=1] [whole: also the table as a whole]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>

#include "data/standardize.h"
#include "discover/block_estimate.h"
#include "metrics/average_precision.h"
#include "simulate/names.h"
#include "simulate/synthetic.h"

namespace {

using namespace causcale;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Over the ordered pairs that were looked at; edges between them that no block held count as missed.
struct Judged {
  std::vector<std::pair<double, bool>> pairs;
  std::size_t edges = 0, held = 0;

  double average_precision() {
    std::ranges::stable_sort(pairs, std::greater{}, [](const auto& pair) { return pair.first; });
    double sum = 0.0;
    std::size_t right = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (pairs[k].second) sum += static_cast<double>(++right) / static_cast<double>(k + 1);
    return sum / static_cast<double>(edges);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(
        "blocks_bench COLUMNS MECHANISM [block columns] [blocks] [model] [rows] [seed] [threads] [whole]\n");
    return 2;
  }
  const auto text = [&](int k, const char* usual) { return std::string(argc > k ? argv[k] : usual); };
  SyntheticOptions simulation;
  simulation.nodes = std::atoi(argv[1]);
  simulation.mechanism = choice_named(kMechanismNames, std::string(argv[2]), "mechanism");
  simulation.edges_per_node = 2.0;
  simulation.rows = std::atoi(text(6, "1000").c_str());
  const Simulation simulated =
      simulate_synthetic(simulation, std::strtoull(text(7, "1").c_str(), nullptr, 10), 0);
  DiscoverOptions options;
  options.model = text(5, "synthetic");
  options.block_columns = static_cast<std::size_t>(std::atoi(text(3, "500").c_str()));
  options.threads = std::atoi(text(8, "1").c_str());
  options.views = 1;
  const LoadedModel loaded = load_for_discover(options);
  const Dataset table = in_canonical_order(simulated.dataset, options.threads);
  const std::size_t n = table.table.cols();
  const Digraph& truth = simulated.graph;

  if (argc > 9) {
    options.block_columns = kNoBlocks;
    const double begin = processor_seconds();
    const Estimate whole =
        estimate(settle(options, loaded, table.table.rows(), n), options, {&table, 1}, {}).front();
    fmt::print("as a whole: mAP {:.1f} %, {:.0f} processor seconds\n",
               100.0 * average_precision(whole.probabilities, truth), processor_seconds() - begin);
    options.block_columns = static_cast<std::size_t>(std::atoi(text(3, "500").c_str()));
  }
  const Settings settings = settle(options, loaded, table.table.rows(), n);
  const std::size_t run = static_cast<std::size_t>(std::atoi(text(4, "4").c_str()));
  double begin = processor_seconds();
  if (run == 0) {
    const Estimate told = estimate_in_blocks(settings, table, options.seed);
    fmt::print("{} blocks of {}: mAP {:.1f} %, {:.0f} processor seconds\n", settings.blocks(n),
               settings.block_columns, 100.0 * average_precision(told.probabilities, truth),
               processor_seconds() - begin);
    return 0;
  }

  const Neighbours neighbours = likely_neighbours(table.table.values, 64, options.seed, options.threads);
  const std::vector<Block> blocks = cover_columns(neighbours, settings.block_columns, settings.block_core);
  fmt::print("{} blocks of {} columns, {} at the core: chosen in {:.1f} processor seconds\n", blocks.size(),
             settings.block_columns, settings.block_core, processor_seconds() - begin);
  Matrix<char> held(n, n);
  for (const Block& block : blocks)
    for (std::size_t a = 0; a < block.core; ++a)
      for (const int other : block.members) {
        const auto i = static_cast<std::size_t>(block.members[a]), j = static_cast<std::size_t>(other);
        held(i, j) = held(j, i) = 1;
      }
  std::size_t in_some = 0;
  for (const Edge& edge : truth.edges())
    in_some += static_cast<std::size_t>(
        held(static_cast<std::size_t>(edge.source), static_cast<std::size_t>(edge.target)));
  fmt::print("edges that some block holds: {:.1f} % of {}\n",
             100.0 * static_cast<double>(in_some) / static_cast<double>(truth.edges().size()),
             truth.edges().size());

  Judged judged;
  std::vector<char> at_core(n, 0);
  Matrix<float> sums(n, n, -1.0f);
  begin = processor_seconds();
  for (std::size_t k = 0; k < run; ++k) {
    const Block& block = blocks[(2 * k + 1) * blocks.size() / (2 * run)];
    const Dataset part = take_columns(table, block.members);
    const std::vector<float> prior =
        make_priors(settings, {&part, 1}, {.scale = settings.prior_scale, .rows = {}});
    const Matrix<double> said = scaled_probabilities(settings, {&part, 1}, prior, options.seed).front();
    for (std::size_t a = 0; a < block.members.size(); ++a)
      for (std::size_t b = 0; b < block.members.size(); ++b) {
        if (a == b || (a >= block.core && b >= block.core)) continue;
        float& sum =
            sums(static_cast<std::size_t>(block.members[a]), static_cast<std::size_t>(block.members[b]));
        sum = sum < 0.0f ? static_cast<float>(said(a, b)) : (sum + static_cast<float>(said(a, b))) / 2.0f;
      }
    for (std::size_t a = 0; a < block.core; ++a) at_core[static_cast<std::size_t>(block.members[a])] = 1;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j || (!at_core[i] && !at_core[j])) continue;
      const bool edge = truth.has_edge(static_cast<int>(i), static_cast<int>(j));
      judged.edges += edge;
      judged.held += edge && sums(i, j) >= 0.0f;
      judged.pairs.emplace_back(sums(i, j), edge);
    }
  fmt::print(
      "{} blocks run: AP {:.1f} % over {} pairs with {} edges, {:.1f} % of them held; {:.1f} processor "
      "seconds "
      "a block\n",
      run, 100.0 * judged.average_precision(), judged.pairs.size(), judged.edges,
      100.0 * static_cast<double>(judged.held) / static_cast<double>(judged.edges),
      (processor_seconds() - begin) / static_cast<double>(run));
}
