// The configurations that the benchmark of the network's variants writes.
#include <gtest/gtest.h>

#include <set>

#include "benchmark/ablation.h"
#include "learn/config/config.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

TEST(AblationConfigurations, CanBeTrained) {
  const test::TempFolder folder;
  const auto files = write_ablation_configs(folder / "configs", 50);
  ASSERT_EQ(files.size(), ablation_variants().size());
  const ModelConfig full = read_train_config(files[0]).model;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const TrainConfig config = read_train_config(files[i]);
    ModelConfig expected = full;
    ablation_variants()[i].apply(expected);
    EXPECT_EQ(config.model, expected) << files[i];
    EXPECT_EQ(config.model == full, i == 0) << files[i];
    EXPECT_EQ(config.total_length(), 50);
  }
}

}  // namespace
}  // namespace causcale
