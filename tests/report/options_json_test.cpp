#include "report/options_json.h"

#include <gtest/gtest.h>

#include "discover/option_list.h"

namespace causcale {
namespace {

TEST(OptionsJson, HoldsEveryOptionByItsName) {
  DiscoverOptions options;
  options.acyclic = true;
  options.views = 3;
  options.max_memory = std::int64_t{1} << 32;
  options.seed = ~std::uint64_t{0};
  const nlohmann::ordered_json json = options_json(options);
  EXPECT_EQ(json.size(), discover_option_list().size());
  for (const DiscoverOption& option : discover_option_list()) EXPECT_TRUE(json.contains(option.name));
  EXPECT_EQ(json["dag"], "greedy");
  EXPECT_EQ(json["views"], 3);
  EXPECT_EQ(json["threshold"], 0.5);
  EXPECT_EQ(json["max_memory"], std::int64_t{1} << 32);
  EXPECT_EQ(json["seed"], ~std::uint64_t{0});
  EXPECT_EQ(json["evidence"], "on");
}

TEST(OptionsJson, HoldsKnowledgeByTheNumbersOfVariables) {
  DiscoverOptions options;
  options.knowledge.required = {{0, 2}};
  options.knowledge.forbidden = {{1, 0}};
  const nlohmann::ordered_json json = options_json(options);
  EXPECT_EQ(json["knowledge"]["required"], nlohmann::ordered_json::parse("[[0, 2]]"));
  EXPECT_EQ(json["knowledge"]["forbidden"], nlohmann::ordered_json::parse("[[1, 0]]"));
}

}  // namespace
}  // namespace causcale
