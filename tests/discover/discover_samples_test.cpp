// Graphs that discover draws from its own probabilities, and where their ancestry goes.
#include <gtest/gtest.h>

#include "causcale/discover.h"
#include "causcale/samples.h"
#include "report/read_result.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

Dataset small_table() {
  SyntheticOptions options;
  options.nodes = 7;
  options.rows = 150;
  options.edges_per_node = 1.5;
  return simulate_synthetic(options, 11, 0).dataset;
}

TEST(DiscoverSamples, AncestryIsThatOfGraphsDrawnFromTheResult) {
  DiscoverOptions options;
  options.samples = 300;
  options.seed = 4;
  options.ensemble = options.views = 1;
  options.knowledge.required = {{0, 3}, {3, 5}};
  options.knowledge.forbidden = {{1, 2}};
  const DiscoverResult result = discover(small_table(), options);
  EXPECT_EQ(result.samples, 300);
  EXPECT_TRUE(result.samples_exact);
  EXPECT_EQ(result.ancestry(0, 5), 1.0);
  EXPECT_EQ(result.ancestry(5, 0), 0.0);
  const GraphSamples samples =
      sample_graphs(result.probabilities, {.count = 300, .seed = 4, .feedback = result.feedback});
  EXPECT_EQ(result.ancestry, ancestor_probabilities(samples));

  const StoredResult stored = parse_result(format_json(result, {}), "r.json");
  EXPECT_EQ(stored.result.samples, 300);
  EXPECT_EQ(stored.result.ancestry, result.ancestry);
  EXPECT_EQ(format_json(stored.result, {}), format_json(result, {}));
}

TEST(DiscoverSamples, NoneUnlessAskedFor) {
  DiscoverOptions options;
  options.ensemble = options.views = 1;
  const DiscoverResult result = discover(small_table(), options);
  EXPECT_EQ(result.samples, 0);
  EXPECT_TRUE(result.ancestry.empty());
  EXPECT_EQ(format_json(result, {}).find("\"ancestry\""), std::string::npos);
}

}  // namespace
}  // namespace causcale
