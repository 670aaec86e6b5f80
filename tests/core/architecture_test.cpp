// Other architectures as the core sees them: named in the card, checked, and left to the training library.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/card.h"
#include "core/config.h"
#include "core/cost.h"
#include "core/cpu/network_cpu.h"
#include "core/train_library.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::contains;
using test::error_of;

TEST(Architecture, CardsSayWhichItIs) {
  for (const char* name : {"avici", "sea"}) {
    const ModelConfig config = ModelConfig::published(architecture_named(name));
    const std::map<std::string, std::string> metadata = config.to_metadata();
    EXPECT_EQ(metadata.at("architecture"), name);
    EXPECT_EQ(parse_card(metadata, "f").config, config);
    EXPECT_FALSE(metadata.contains("pooling"));
    EXPECT_FALSE(core::runs_on_the_core(config));
  }
  EXPECT_FALSE(ModelConfig().to_metadata().contains("architecture"));
  EXPECT_TRUE(core::runs_on_the_core(ModelConfig()));
}

TEST(Architecture, UnknownOnesAndMissingSizesAreRefusedByName) {
  std::map<std::string, std::string> metadata = ModelConfig::published(Architecture::kAvici).to_metadata();
  metadata["architecture"] = "perceiver";
  std::string message = error_of([&] { parse_card(metadata, "some.safetensors"); });
  EXPECT_TRUE(contains(message, "some.safetensors"));
  EXPECT_TRUE(contains(message, "'architecture' is 'perceiver'"));
  EXPECT_TRUE(contains(message, "'avici', 'sea'"));
  metadata["architecture"] = "avici";
  metadata.erase("key_dim");
  message = error_of([&] { parse_card(metadata, "some.safetensors"); });
  EXPECT_TRUE(contains(message, "'key_dim'"));
  metadata = ModelConfig::published(Architecture::kSea).to_metadata();
  metadata["subsets"] = "0";
  message = error_of([&] { parse_card(metadata, "some.safetensors"); });
  EXPECT_TRUE(contains(message, "some.safetensors"));
  EXPECT_TRUE(contains(message, "subsets is 0"));
}

TEST(Architecture, MessagesNameTheFileAndWhatItIs) {
  const std::string text =
      model_of_architecture("some/avici.safetensors", ModelConfig::published(Architecture::kAvici));
  EXPECT_TRUE(contains(text, "some/avici.safetensors"));
  EXPECT_TRUE(contains(text, "architecture avici"));
}

// SEA's network never sees the rows; AVICI's cost is that of all cells.
TEST(Architecture, CostsFollowWhatIsComputed) {
  const ModelConfig sea = ModelConfig::published(Architecture::kSea),
                    avici = ModelConfig::published(Architecture::kAvici);
  EXPECT_EQ(forward_flops(sea, 100, 50), forward_flops(sea, 10000, 50));
  EXPECT_GT(forward_flops(sea, 100, 100), forward_flops(sea, 100, 50));
  EXPECT_GT(forward_flops(avici, 2000, 50), 2 * forward_flops(avici, 1000, 50));
  EXPECT_EQ(inference_bytes(sea, 100, 50, 4, 0), inference_bytes(sea, 10000, 50, 4, 0));
  EXPECT_GT(inference_bytes(avici, 2000, 50, 4, 1 << 28), inference_bytes(avici, 1000, 50, 4, 1 << 28));
}

}  // namespace
}  // namespace causcale
