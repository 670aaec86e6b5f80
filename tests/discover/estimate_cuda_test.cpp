// Priors that the GPU makes against those of the processor.
#include <gtest/gtest.h>

#include <cmath>

#include "core/input.h"
#include "discover/estimate.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

TEST(PriorsCuda, EqualThoseOfTheProcessor) {
  DiscoverOptions asked;
  asked.device = Device::kCuda;
  const LoadedModel loaded = load_for_discover(asked);
  for (const int nodes : {20, 201, 333}) {  // the first is too small for the GPU
    SyntheticOptions options;
    options.nodes = nodes;
    options.rows = 150;
    std::vector<Dataset> tables;
    for (const std::uint32_t index : {0, 1}) tables.push_back(simulate_synthetic(options, 3, index).dataset);
    for (std::size_t r = 0; r < 150; ++r) {
      tables[1].table.values(r, 3) = 4.2;                           // constant
      tables[1].table.values(r, 5) = tables[1].table.values(r, 4);  // a copy: singular without shrinkage
    }
    const Settings settings = settle(asked, loaded, 150, static_cast<std::size_t>(nodes));
    for (const PriorScale scale : {PriorScale::kRaw, PriorScale::kStandardized})
      for (const std::optional<std::size_t> rows :
           {std::optional<std::size_t>(), std::optional<std::size_t>(70)}) {
        const PriorOptions prior{.scale = scale, .rows = rows, .seed = 5};
        const std::vector<float> wanted = prior_input(tables, prior);
        const std::vector<float> found = make_priors(settings, tables, prior);
        ASSERT_EQ(found.size(), wanted.size());
        float largest = 0.0f, difference = 0.0f;
        for (std::size_t k = 0; k < wanted.size(); ++k) {
          largest = std::max(largest, std::abs(wanted[k]));
          difference = std::max(difference, std::abs(found[k] - wanted[k]));
        }
        EXPECT_LE(difference, 1e-5f * largest) << nodes;
      }
  }
}

}  // namespace
}  // namespace causcale
