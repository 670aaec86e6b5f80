#include "benchmark/network.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "causcale/discover.h"
#include "model/checkpoint.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

// What is measured is what users get, temperature and offset of the model file included.
TEST(BenchmarkNetwork, AnswersAsDiscoverDoes) {
  at::set_num_threads(1);
  const test::TempFolder folder;
  ModelConfig config;
  config.blocks = 2;
  config.embed_dim = 16;
  config.heads = 2;
  config.ffn_dim = 16;
  const auto file = folder / "scaled.safetensors";
  save_model(file, config, initialise_parameters(config, 3), StoredType::kF32,
             {{"views", "4"},
              {"temperature", "0.8"},
              {"mean_of", "4"},
              {"mean_temperature", "1.5"},
              {"mean_offset", "0.7"}});
  SyntheticOptions simulation;
  simulation.nodes = 7;
  simulation.rows = 60;
  const Dataset dataset = simulate_synthetic(simulation, 1, 0).dataset;

  BenchmarkNetwork network(file.string(), PriorUnits::kRaw, Device::kCpu, Precision::kAuto, 1);
  for (const int views : {0, 1, 2}) {
    SCOPED_TRACE(views);
    Contender contender;
    contender.views = views;
    const Matrix<double> measured = network.answer(dataset, contender, 0).probabilities;
    DiscoverOptions options;
    options.model = file.string();
    options.device = Device::kCpu;
    options.prior_units = PriorUnits::kRaw;
    options.views = views;
    options.threads = 1;
    const DiscoverResult told = discover(dataset, options);
    EXPECT_EQ(told.offset > 0, views != 1);
    ASSERT_EQ(measured.values().size(), told.probabilities.values().size());
    for (std::size_t k = 0; k < measured.values().size(); ++k)
      EXPECT_NEAR(measured.values()[k], told.probabilities.values()[k], 1e-6);
  }
}

}  // namespace
}  // namespace causcale
