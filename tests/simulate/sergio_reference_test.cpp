// Our cells against those of an independent implementation with the same network and parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "simulate/sergio.h"
#include "support/golden.h"

namespace causcale {
namespace {

struct Reference {
  std::string folder;
  nlohmann::json info;
  SergioParameters parameters;
  TechnicalNoise technical;
};

Reference load(const std::string& name) {
  Reference reference;
  reference.folder = "sergio/" + name + "/";
  reference.info = nlohmann::json::parse(test::golden_text(reference.folder + "info.json"));
  const Matrix<double> dag = test::golden_matrix(reference.folder + "dag.npy");
  const Matrix<double> k = test::golden_matrix(reference.folder + "k.npy");
  Matrix<std::uint8_t> adjacency(dag.rows(), dag.cols());
  std::copy(dag.values().begin(), dag.values().end(), adjacency.values().begin());
  SergioParameters& parameters = reference.parameters;
  parameters.graph = Digraph::from_adjacency(adjacency);
  for (const Edge& edge : parameters.graph.edges())
    parameters.strength.push_back(k(edge.source, edge.target));
  parameters.basal_rates = test::golden_matrix(reference.folder + "basal_rates.npy");
  parameters.decay = reference.info["decay"];
  parameters.noise = reference.info["noise_param"];
  parameters.hill = reference.info["hill"];
  const auto& tech = reference.info["tech_noise"];
  reference.technical = {tech["outlier"]["prob"],   tech["outlier"]["mean"],   tech["outlier"]["scale"],
                         tech["lib_size"]["mean"],  tech["lib_size"]["scale"], tech["dropout_shape"],
                         tech["dropout_percentile"]};
  return reference;
}

// Values [experiment, replicate, item], an item being a gene in a cell type, or an edge.
struct Replicated {
  std::vector<double> values;
  std::size_t experiments, replicates, items;

  double at(std::size_t experiment, std::size_t replicate, std::size_t item) const {
    return values[(experiment * replicates + replicate) * items + item];
  }
};

struct Estimate {
  double mean, squared_error;
};

Estimate estimate(const std::vector<double>& replicates) {
  const double count = static_cast<double>(replicates.size());
  double sum = 0, squares = 0;
  for (const double x : replicates) sum += x;
  for (const double x : replicates) squares += (x - sum / count) * (x - sum / count);
  return {sum / count, squares / (count - 1) / count};
}

Estimate item_estimate(const Replicated& all, std::size_t experiment, std::size_t item) {
  std::vector<double> replicates;
  for (std::size_t r = 0; r < all.replicates; ++r) replicates.push_back(all.at(experiment, r, item));
  return estimate(replicates);
}

// Differences in standard errors.
struct Scores {
  double mean_square = 0;  // over items; about 1 if all is right
  double worst = 0;        // over items
  double pooled = 0;       // of the mean over all items, each relative to the reference: sees common shifts
};

Scores compare(const Replicated& ours, const Replicated& theirs) {
  Scores scores;
  std::vector<double> our_pool(ours.replicates, 0.0), their_pool(theirs.replicates, 0.0);
  int count = 0;
  for (std::size_t e = 0; e < ours.experiments; ++e)
    for (std::size_t i = 0; i < ours.items; ++i) {
      const Estimate mine = item_estimate(ours, e, i), truth = item_estimate(theirs, e, i);
      const double error = std::sqrt(mine.squared_error + truth.squared_error);
      if (error == 0) {  // a silent gene is silent on both sides
        EXPECT_EQ(mine.mean, truth.mean);
        continue;
      }
      const double z = (mine.mean - truth.mean) / error;
      scores.mean_square += z * z;
      scores.worst = std::max(scores.worst, std::abs(z));
      ++count;
      for (std::size_t r = 0; r < ours.replicates; ++r) our_pool[r] += ours.at(e, r, i) / truth.mean;
      for (std::size_t r = 0; r < theirs.replicates; ++r) their_pool[r] += theirs.at(e, r, i) / truth.mean;
    }
  scores.mean_square /= count;
  const Estimate mine = estimate(our_pool), truth = estimate(their_pool);
  scores.pooled = (mine.mean - truth.mean) / std::sqrt(mine.squared_error + truth.squared_error);
  return scores;
}

struct LongRun {
  Scores mean, variance, half_response;
};

// The reference's long simulations again with `parameters`, which may be wrong on purpose.
LongRun long_run(const Reference& reference, const SergioParameters& parameters) {
  const NpyArray mean = test::golden_npy(reference.folder + "longrun_mean.npy");
  const NpyArray variance = test::golden_npy(reference.folder + "longrun_variance.npy");
  const NpyArray half = test::golden_npy(reference.folder + "longrun_half_response.npy");
  const std::size_t experiments = mean.shape[0], replicates = mean.shape[1], types = mean.shape[2];
  const std::size_t genes = mean.shape[3], inner = types * genes, ours = 24;
  const int cells = reference.info["longrun"]["cells_per_type"];
  std::vector<SergioExperiment> plan;
  for (const auto& target : reference.info["longrun"]["targets"])
    plan.push_back({target.is_string() ? -1 : target.get<int>(), 0.0f});

  const auto edges = parameters.graph.edges();
  std::vector<double> our_mean(experiments * ours * inner), our_variance(our_mean.size());
  std::vector<double> our_half, their_half;
  for (std::size_t e = 0; e < experiments; ++e)
    for (std::size_t r = 0; r < replicates; ++r)
      for (const Edge& edge : edges)
        their_half.push_back(half.values[((e * replicates + r) * genes + edge.source) * genes + edge.target]);
  our_half.resize(experiments * ours * edges.size());
  for (std::size_t r = 0; r < ours; ++r) {
    const SergioCells run =
        run_sergio(parameters, plan, {.cells_per_type = cells}, 31, static_cast<std::uint32_t>(r), 0, 1);
    for (std::size_t e = 0; e < experiments; ++e) {
      for (std::size_t g = 0; g < genes; ++g)
        for (std::size_t t = 0; t < types; ++t) {
          const float* x =
              run.expression.data() + run.offset(static_cast<int>(e), static_cast<int>(g)) + t * cells;
          double sum = 0, squares = 0;
          for (int c = 0; c < cells; ++c) sum += x[c], squares += static_cast<double>(x[c]) * x[c];
          const std::size_t at = (e * ours + r) * inner + t * genes + g;
          our_mean[at] = sum / cells;
          our_variance[at] = squares / cells - our_mean[at] * our_mean[at];
        }
      for (std::size_t k = 0; k < edges.size(); ++k)
        our_half[(e * ours + r) * edges.size() + k] = run.half_response(e, edges[k].source);
    }
  }
  return {
      compare({our_mean, experiments, ours, inner}, {mean.values, experiments, replicates, inner}),
      compare({our_variance, experiments, ours, inner}, {variance.values, experiments, replicates, inner}),
      compare({our_half, experiments, ours, edges.size()},
              {their_half, experiments, replicates, edges.size()})};
}

constexpr double kPooledBound = 5.0;

class SergioReference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!test::golden_exists(std::string("sergio/") + GetParam() + "/longrun_mean.npy"))
      GTEST_SKIP() << "not in the selection of reference data";
  }
};

TEST_P(SergioReference, LevelsAreEqual) {
  const Reference reference = load(GetParam());
  EXPECT_EQ(sergio_levels(reference.parameters.graph),
            reference.info["level_per_gene"].get<std::vector<int>>());
}

// With 8 replicates on their side a difference in standard errors follows about a t law of 7 or more degrees
// of freedom, whose mean square is 1.4; the values within a simulation are correlated, hence 2.5. Beyond 9
// standard errors lies 4e-5 of that law.
TEST_P(SergioReference, LongRunMeansVariancesAndHalfResponsesAgree) {
  const Reference reference = load(GetParam());
  const LongRun run = long_run(reference, reference.parameters);
  for (const Scores& scores : {run.mean, run.variance, run.half_response}) {
    EXPECT_LT(scores.mean_square, 2.5);
    EXPECT_LT(scores.worst, 9.0);
    EXPECT_LT(std::abs(scores.pooled), kPooledBound);
  }
}

// The same comparison notices parameters that are off by a little, so it would notice a wrong formula.
TEST_P(SergioReference, TheComparisonSeesSmallErrors) {
  const Reference reference = load(GetParam());
  SergioParameters wrong = reference.parameters;
  wrong.decay *= 1.1;
  EXPECT_LT(long_run(reference, wrong).mean.pooled, -kPooledBound);
  wrong = reference.parameters;
  wrong.noise *= 1.15;
  EXPECT_GT(long_run(reference, wrong).variance.pooled, kPooledBound);
  wrong = reference.parameters;
  for (double& k : wrong.strength) k *= 1.1;
  EXPECT_GT(long_run(reference, wrong).mean.pooled, kPooledBound);
}

struct CountFacts {
  double zero_share, mean_log_total, log_mean_positive;
};

CountFacts count_facts(const Matrix<double>& counts) {
  CountFacts facts{};
  double cells = 0, positive = 0, sum = 0;
  for (std::size_t r = 0; r < counts.rows(); ++r) {
    double total = 0;
    for (const double x : counts.row(r)) {
      total += x;
      facts.zero_share += x == 0;
      positive += x > 0;
    }
    sum += total;
    if (total > 0) facts.mean_log_total += std::log(total), ++cells;
  }
  facts.zero_share /= static_cast<double>(counts.size());
  facts.mean_log_total /= cells;
  facts.log_mean_positive = std::log(sum / positive);
  return facts;
}

// Counts with the reference's technical noise: its table is one more draw from the distribution of ours.
TEST_P(SergioReference, CountsHaveTheSameZerosAndSizes) {
  const Reference reference = load(GetParam());
  const Matrix<double> counts = test::golden_matrix(reference.folder + "counts.npy");
  const CountFacts theirs = count_facts(counts);
  SergioOptions options;
  options.rows = static_cast<int>(counts.rows());
  constexpr int kTables = 40;
  std::vector<double> facts[3];
  for (int i = 0; i < kTables; ++i) {
    const SergioSimulation ours = simulate_sergio(options, reference.parameters, reference.technical, 41, i);
    ASSERT_EQ(ours.dataset.table.rows(), counts.rows());
    const CountFacts each = count_facts(ours.dataset.table.values);
    facts[0].push_back(each.zero_share);
    facts[1].push_back(each.mean_log_total);
    facts[2].push_back(each.log_mean_positive);
  }
  const double expected[] = {theirs.zero_share, theirs.mean_log_total, theirs.log_mean_positive};
  for (int k = 0; k < 3; ++k) {
    double mean = 0, squares = 0;
    for (const double x : facts[k]) mean += x / kTables;
    for (const double x : facts[k]) squares += (x - mean) * (x - mean) / (kTables - 1);
    EXPECT_LT(std::abs(expected[k] - mean), 4 * std::sqrt(squares)) << "statistic " << k << ", ours " << mean;
  }
}

// Row r belongs to the knock-out of gene r mod n, its type is (r div n) div (cells per type).
TEST_P(SergioReference, RowsAreLaidOutTheSameWay) {
  const Reference reference = load(GetParam());
  const NpyArray types = test::golden_npy(reference.folder + "cell_type.npy");
  const Matrix<double> mask = test::golden_matrix(reference.folder + "knockout_mask.npy");
  SergioOptions options;
  options.rows = static_cast<int>(mask.rows());
  options.profile = NoiseProfile::kNone;
  const SergioSimulation ours = simulate_sergio(options, reference.parameters, 1, 0);
  for (std::size_t r = 0; r < mask.rows(); ++r) {
    ASSERT_EQ(ours.cell_type[r], static_cast<int>(types.values[r]));
    const int target = ours.dataset.interventions.regimes[ours.dataset.interventions.regime_of_row[r]][0];
    for (std::size_t g = 0; g < mask.cols(); ++g) ASSERT_EQ(mask(r, g) != 0, static_cast<int>(g) == target);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, SergioReference, testing::Values("n10_0", "n10_6", "n30_0", "n30_9"));

}  // namespace
}  // namespace causcale
