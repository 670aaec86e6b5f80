// Batches made in two ways side by side.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "learn/data/batches.h"

namespace causcale::test {

// What a stage with these keys says.
inline DataOptions data_of(const std::string& keys) {
  return parse_train_config(R"({"stages": [{"steps": 1)" + (keys.empty() ? "" : ", " + keys) + "}]}", "test")
      .stages[0]
      .data;
}

inline BatchPlan plan_of(int nodes, int rows, int graphs) {
  BatchPlan plan;
  plan.nodes = nodes;
  plan.rows = rows;
  plan.graphs = graphs;
  return plan;
}

inline double largest(const at::Tensor& tensor) {
  return tensor.abs().max().item<double>();
}

// Graphs and flags must be equal. Priors are compared relative to their largest entry: pseudo-inverses of
// small eigenvalues magnify rounding in proportion to it. `found` may lie on another device.
inline void expect_same_batch(const Batch& found, const Batch& expected, double data_tolerance,
                              double prior_tolerance) {
  EXPECT_TRUE(found.adjacency.cpu().equal(expected.adjacency));
  ASSERT_EQ(found.labels.defined(), expected.labels.defined());
  if (expected.labels.defined()) {
    EXPECT_TRUE(found.labels.cpu().equal(expected.labels));
  }
  EXPECT_EQ(found.next_dataset, expected.next_dataset);
  const at::Tensor data = found.input.data.cpu(), prior = found.input.prior.cpu();
  ASSERT_EQ(data.sizes(), expected.input.data.sizes());
  ASSERT_EQ(prior.sizes(), expected.input.prior.sizes());
  EXPECT_TRUE(data.select(3, 1).equal(expected.input.data.select(3, 1)));
  EXPECT_LE(largest(data.select(3, 0) - expected.input.data.select(3, 0)), data_tolerance);
  for (std::int64_t b = 0; b < expected.graphs(); ++b)
    EXPECT_LE(largest(prior[b] - expected.input.prior[b]), prior_tolerance * largest(expected.input.prior[b]))
        << b;
}

}  // namespace causcale::test
