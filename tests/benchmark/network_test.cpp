#include "benchmark/network.h"

#include <gtest/gtest.h>

#include "base/safetensors.h"
#include "causcale/discover.h"
#include "core/installed.h"
#include "simulate/synthetic.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

// What is measured is what users get, temperature and offset of the model file included.
TEST(BenchmarkNetwork, AnswersAsDiscoverDoes) {
  const test::TempFolder folder;
  const auto file = folder / "scaled.safetensors";
  const SafetensorsFile shipped(find_model("general"));
  SafetensorsContent content = shipped.content();
  for (const auto& [key, value] : std::map<std::string, std::string>{{"views", "4"},
                                                                     {"temperature", "0.8"},
                                                                     {"mean_of", "4"},
                                                                     {"mean_temperature", "1.5"},
                                                                     {"mean_offset", "0.7"}})
    content.metadata[key] = value;
  write_safetensors(file, content);
  SyntheticOptions simulation;
  simulation.nodes = 5;
  simulation.rows = 40;
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
    EXPECT_EQ(measured, told.probabilities);
  }
}

}  // namespace
}  // namespace causcale
