#include "discover/estimate.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "simulate/synthetic.h"

namespace causcale {
namespace {

// Small and large: what a matrix leaves behind in freed memory differs between them.
TEST(PriorInput, HoldsThePriorOfEveryTable) {
  for (const int nodes : {5, 400}) {
    SyntheticOptions options;
    options.nodes = nodes;
    options.rows = 60;
    std::vector<Dataset> tables;
    for (const std::uint64_t index : {0, 1}) tables.push_back(simulate_synthetic(options, 3, index).dataset);
    const PriorOptions prior{.scale = PriorScale::kStandardized, .rows = {}};
    const at::Tensor input = prior_input(tables, prior);
    ASSERT_EQ(input.sizes(), (at::IntArrayRef{2, nodes, nodes}));
    const float* at = input.data_ptr<float>();
    for (const Dataset& table : tables) {
      const Matrix<double> expected = precision_prior(table.table.values, prior);
      for (const double value : expected.values()) ASSERT_EQ(*at++, static_cast<float>(value)) << nodes;
    }
  }
}

}  // namespace
}  // namespace causcale
