// Priors that the GPU makes against those of the processor.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "discover/estimate.h"
#include "simulate/synthetic.h"

namespace causcale {
namespace {

TEST(PriorInputCuda, EqualsThatOfTheProcessor) {
  for (const int nodes : {20, 201, 333}) {  // the first is too small for the GPU
    SyntheticOptions options;
    options.nodes = nodes;
    options.rows = 150;
    std::vector<Dataset> tables;
    for (const std::uint64_t index : {0, 1}) tables.push_back(simulate_synthetic(options, 3, index).dataset);
    for (std::size_t r = 0; r < 150; ++r) {
      tables[1].table.values(r, 3) = 4.2;                           // constant
      tables[1].table.values(r, 5) = tables[1].table.values(r, 4);  // a copy: singular without shrinkage
    }
    for (const PriorScale scale : {PriorScale::kRaw, PriorScale::kStandardized})
      for (const std::optional<std::size_t> rows :
           {std::optional<std::size_t>(), std::optional<std::size_t>(70)}) {
        const PriorOptions prior{.scale = scale, .rows = rows, .seed = 5};
        const at::Tensor wanted = prior_input(tables, prior);
        const at::Tensor found = prior_input(tables, prior, at::kCUDA);
        EXPECT_EQ(found.is_cuda(), nodes >= 200);
        EXPECT_EQ(found.sizes(), wanted.sizes());
        const double difference = (found.cpu() - wanted).abs().max().item<double>();
        EXPECT_LE(difference, 1e-5 * wanted.abs().max().item<double>()) << nodes;
      }
  }
}

}  // namespace
}  // namespace causcale
