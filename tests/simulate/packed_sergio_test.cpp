// Gene expression as GPUs simulate it, here on the host, against the simulator: the same plans must give the
// same cells and the same counts, to the last bit.
#include "simulate/packed_sergio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <string>
#include <thread>

#include "simulate/count_sampler.h"
#include "simulate/names.h"

namespace causcale {
namespace {

struct Memory {
  std::vector<float> cells, trajectories, log_halves;
  std::vector<double> means, genes, factors;

  explicit Memory(const SergioSizes& sizes)
      : cells(sizes.cells),
        trajectories(sizes.trajectories),
        log_halves(sizes.gene_values),
        means(sizes.lane_values),
        genes(sizes.gene_values),
        factors(sizes.cell_values) {}
  SergioBuffers buffers() {
    return {cells.data(), trajectories.data(), means.data(), log_halves.data(), genes.data(), factors.data()};
  }
};

std::vector<float> simulate(const PackedSergio& packed) {
  Memory memory(packed.sizes());
  const std::vector<std::byte> copy = packed.bytes();
  simulate_packed_on_host(packed.view(copy.data()), packed.waves(), memory.buffers());
  return memory.cells;
}

SergioOptions options_of(int genes, int rows, int wild_type_rows) {
  SergioOptions options;
  options.graph.nodes = genes;
  options.rows = rows;
  options.wild_type_rows = wild_type_rows;
  return options;
}

SergioPlan plan_of(const SergioOptions& options, std::uint64_t seed, std::uint32_t index) {
  return plan_sergio(options, draw_sergio_parameters(options, seed, index), seed, index);
}

// Rows of the simulator's table by regime, as PackedSergio::rows lists them.
std::vector<std::size_t> grouped(const Interventions& interventions) {
  std::vector<std::size_t> order(interventions.regime_of_row.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return interventions.regime_of_row[a] < interventions.regime_of_row[b];
  });
  return order;
}

// Returns how many values are not zero.
int expect_equal(const std::vector<SergioPlan>& plans, const PackedSergio& packed) {
  const std::vector<float> cells = simulate(packed);
  int differing = 0, positive = 0;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const Dataset expected = simulate_sergio(plans[p]).dataset;
    const std::vector<std::size_t> order = grouped(expected.interventions);
    const std::vector<SergioRow>& rows = packed.rows(p);
    EXPECT_EQ(rows.size(), expected.table.rows());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::vector<int>& targets =
          expected.interventions.regimes[expected.interventions.regime_of_row[order[r]]];
      EXPECT_EQ(rows[r].target, targets.empty() ? -1 : targets[0]);
      for (std::size_t gene = 0; gene < expected.table.cols(); ++gene) {
        const double wanted = expected.table.values(order[r], gene);
        const float found = cells[rows[r].first + static_cast<std::int64_t>(gene) * rows[r].stride];
        differing += found != wanted;
        positive += wanted > 0;
      }
    }
  }
  EXPECT_EQ(differing, 0);
  return positive;
}

int expect_equal(const std::vector<SergioPlan>& plans) {
  return expect_equal(plans, PackedSergio(plans));
}

TEST(PackedSergio, CleanExpressionEqualsTheSimulators) {
  std::vector<SergioPlan> plans;
  for (const int genes : {1, 2, 9, 30})
    for (const int rows : {1, 7, 130, 400}) {
      SergioOptions options = options_of(genes, rows, rows / 3);
      options.graph.edges_per_node = genes > 10 ? 4.0 : 2.0;
      options.profile = NoiseProfile::kNone;
      plans.push_back(plan_of(options, 5, static_cast<std::uint32_t>(plans.size())));
    }
  EXPECT_GT(expect_equal(plans), 1000);
}

TEST(PackedSergio, CountsEqualTheSimulatorsForEveryProfile) {
  for (const auto& [profile, name] : kProfileNames) {
    SCOPED_TRACE(name);
    std::vector<SergioPlan> plans;
    for (std::uint32_t index = 0; index < 6; ++index) {
      SergioOptions options = options_of(index < 3 ? 7 : 40, 300, index % 2 ? 50 : 0);
      options.profile = profile;
      plans.push_back(plan_of(options, 8, index));
    }
    EXPECT_GT(expect_equal(plans), 1000);
  }
}

TEST(PackedSergio, ManyOutliersTakeTheHostsRandomNumbers) {
  // Every other gene is an outlier, so a spare normal is often left for the library sizes; dropout is mild.
  for (std::uint32_t index = 0; index < 4; ++index) {
    const SergioOptions options = options_of(12, 90, 21);
    const TechnicalNoise noise{0.5, 2.0, 1.0, 6.0, 0.5, 3.0, index == 0 ? 0.0 : index == 1 ? 100.0 : 33.3};
    EXPECT_GT(
        expect_equal({plan_sergio(options, draw_sergio_parameters(options, 2, index), noise, 2, index)}), 10);
  }
}

TEST(PackedSergio, KnockDownsCoverageAndOtherGraphs) {
  std::vector<SergioPlan> plans;
  for (const GraphModel model : {GraphModel::kScaleFree, GraphModel::kErdosRenyi})
    for (const double coverage : {0.0, 0.4, 1.0}) {
      SergioOptions options = options_of(15, 140, 11);
      options.graph.model = model;
      options.coverage = coverage;
      options.perturbation = PerturbationKind::kKnockDown;
      options.steps_per_cell = 7;
      options.steps_per_level = 3;
      plans.push_back(plan_of(options, 1, static_cast<std::uint32_t>(plans.size())));
    }
  expect_equal(plans);
}

// The threads of a CUDA block, as threads of the host.
struct ThreadTeam {
  int rank, size;
  std::barrier<>& together;

  template <class Work>
  void share(int count, const Work& work) const {
    for (int i = rank; i < count; i += size) work(i);
  }
  void sync() const { together.arrive_and_wait(); }
  template <class Work>
  void for_each(int count, const Work& work) const {
    share(count, work);
    sync();
  }
  template <class Work>
  void once(const Work& work) const {
    if (rank == 0) work();
    sync();
  }
  void add(std::uint32_t* counter, std::uint32_t value) const {
    std::atomic_ref(*counter).fetch_add(value, std::memory_order_relaxed);
  }
  void least(std::uint64_t* place, std::uint64_t value) const {
    std::atomic_ref<std::uint64_t> shared(*place);
    std::uint64_t seen = shared.load(std::memory_order_relaxed);
    while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
};

TEST(PackedSergio, ThreadsOfATeamWaitForEachOtherWhereTheyMust) {
  const std::vector<SergioPlan> plans{plan_of(options_of(9, 40, 30), 6, 0)};
  const PackedSergio packed(plans);
  const std::vector<float> expected = simulate(packed);
  Memory memory(packed.sizes());
  const std::vector<std::byte> copy = packed.bytes();
  const PackedSergioView view = packed.view(copy.data());
  constexpr int kThreads = 3;
  std::barrier together(kThreads);
  CountScratch scratch;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kThreads; ++rank)
    threads.emplace_back([&, rank] {
      const ThreadTeam team{rank, kThreads, together};
      for (int e = 0; e < packed.waves()[0].experiments; ++e) {
        ExperimentRun(team, view, e, memory.buffers()).run();
        CountRun(team, view, e, memory.buffers(), scratch).run();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.cells, expected);
}

TEST(PackedSergio, WavesShareTheirWorkingMemory) {
  std::vector<SergioPlan> plans{plan_of(options_of(8, 60, 20), 3, 0), plan_of(options_of(11, 70, 0), 3, 1)};
  const PackedSergio whole(plans);
  EXPECT_EQ(whole.waves().size(), 1u);
  const PackedSergio parted(plans, whole.sizes().trajectories / 4);
  EXPECT_GT(parted.waves().size(), 3u);
  EXPECT_LE(parted.sizes().trajectories, whole.sizes().trajectories / 4);
  expect_equal(plans, parted);
  EXPECT_EQ(PackedSergio(plans, 1).waves().size(), 8u + 1u + 11u);  // one experiment a wave
  EXPECT_TRUE(PackedSergio(std::span<const SergioPlan>()).waves().empty());
}

}  // namespace
}  // namespace causcale
