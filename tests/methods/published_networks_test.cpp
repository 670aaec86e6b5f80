// Small discrete networks whose tables are published, 10,000 rows drawn from each: what a test of
// independence with honest degrees of freedom must find in them.
//   cancer, earthquake  Korb and Nicholson, Bayesian Artificial Intelligence, 2010
//   survey              Scutari and Denis, Bayesian Networks with Examples in R, 2014
//   asia                Lauritzen and Spiegelhalter, JRSS B 50, 1988
#include <gtest/gtest.h>

#include "base/random.h"
#include "methods/method.h"

namespace causcale {
namespace {

struct Node {
  const char* name;
  std::vector<int> parents;    // that stand before it
  std::vector<double> shares;  // of its values; the last parent's value changes fastest
  int values = 2;
};

Dataset drawn(const std::vector<Node>& network, std::size_t rows, std::uint32_t number) {
  RandomStream random(44, number, 0);
  Dataset dataset;
  for (const Node& node : network) dataset.table.names.emplace_back(node.name);
  dataset.table.values = Matrix<double>(rows, network.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < network.size(); ++v) {
      const Node& node = network[v];
      std::size_t row = 0;
      for (const int parent : node.parents)
        row = row * static_cast<std::size_t>(network[static_cast<std::size_t>(parent)].values) +
              static_cast<std::size_t>(dataset.table.values(r, static_cast<std::size_t>(parent)));
      const double* shares = node.shares.data() + row * static_cast<std::size_t>(node.values);
      double left = random.uniform();
      int value = 0;
      while (value + 1 < node.values && left >= shares[value]) left -= shares[value++];
      dataset.table.values(r, v) = value;
    }
  return dataset;
}

double skeleton_f1(const MixedGraph& found, const std::vector<Node>& network) {
  std::size_t truth = 0, both = 0;
  for (std::size_t v = 0; v < network.size(); ++v)
    for (const int parent : network[v].parents) {
      ++truth;
      both += found.adjacent(parent, static_cast<int>(v));
    }
  return 2.0 * static_cast<double>(both) / static_cast<double>(truth + found.edge_count());
}

const std::vector<Node> kCancer{
    {"pollution", {}, {.9, .1}},
    {"smoker", {}, {.3, .7}},
    {"cancer", {0, 1}, {.03, .97, .001, .999, .05, .95, .02, .98}},
    {"xray", {2}, {.9, .1, .2, .8}},
    {"dyspnoea", {2}, {.65, .35, .3, .7}},
};
const std::vector<Node> kEarthquake{
    {"burglary", {}, {.01, .99}},
    {"earthquake", {}, {.02, .98}},
    {"alarm", {0, 1}, {.95, .05, .94, .06, .29, .71, .001, .999}},
    {"john_calls", {2}, {.9, .1, .05, .95}},
    {"mary_calls", {2}, {.7, .3, .01, .99}},
};
const std::vector<Node> kSurvey{
    {"age", {}, {.3, .5, .2}, 3},
    {"sex", {}, {.6, .4}},
    {"education", {0, 1}, {.75, .25, .64, .36, .72, .28, .7, .3, .88, .12, .9, .1}},
    {"occupation", {2}, {.96, .04, .92, .08}},
    {"residence", {2}, {.25, .75, .2, .8}},
    {"travel", {3, 4}, {.48, .42, .1, .58, .24, .18, .56, .36, .08, .7, .21, .09}, 3},
};
// `either` is the disjunction of its parents, so that some of what follows is not an independence of the
// graph.
const std::vector<Node> kAsia{
    {"asia", {}, {.01, .99}},
    {"tub", {0}, {.05, .95, .01, .99}},
    {"smoke", {}, {.5, .5}},
    {"lung", {2}, {.1, .9, .01, .99}},
    {"bronc", {2}, {.6, .4, .3, .7}},
    {"either", {1, 3}, {1, 0, 1, 0, 1, 0, 0, 1}},
    {"xray", {5}, {.98, .02, .05, .95}},
    {"dysp", {4, 5}, {.9, .1, .8, .2, .7, .3, .1, .9}},
};

TEST(PublishedNetworks, TheSkeletonIsFoundIn10000Rows) {
  struct Example {
    const char* name;
    const std::vector<Node>& network;
    double least;  // what causal-learn's PC reaches with chi-square at 0.05 on tables of the same size
  };
  for (const auto& [name, network, least] :
       {Example{"cancer", kCancer, 1.0}, Example{"earthquake", kEarthquake, 1.0},
        Example{"survey", kSurvey, 1.0}, Example{"asia", kAsia, 0.71}}) {
    double pc = 0.0, ges = 0.0;
    constexpr int kTables = 10;
    for (std::uint32_t k = 0; k < kTables; ++k) {
      const Dataset dataset = drawn(network, 10'000, k);
      MethodOptions options;
      options.settings = {{"alpha", "0.05"}};
      pc += skeleton_f1(run_method(pc_method(), dataset, options).graph, network) / kTables;
      ges += skeleton_f1(run_method(ges_method(), dataset, {}).graph, network) / kTables;
    }
    // At 0.05 one of the few tests of a true independence may fail now and then.
    EXPECT_GE(pc, least - 0.05) << name;
    EXPECT_GE(ges, least - 0.1) << name;
    RecordProperty(std::string(name) + "_pc", std::to_string(pc));
    RecordProperty(std::string(name) + "_ges", std::to_string(ges));
  }
}

}  // namespace
}  // namespace causcale
