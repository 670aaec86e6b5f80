#include "methods/neural/node_networks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <numeric>

#include "learn/baselines/grouped_mlp.h"
#include "learn/baselines/neural_methods.h"
#include "learn/baselines/tensors.h"
#include "methods/neural/sdcd_model.h"

namespace causcale {
namespace {

struct Example {
  Matrix<float> values, weights;
  std::vector<int> rows;
};

Example example(int rows, int nodes) {
  Example made{Matrix<float>(rows, nodes), Matrix<float>(rows, nodes, 1.0f), std::vector<int>(rows)};
  RandomStream random(3, 0, 0);
  for (float& value : made.values.values()) value = static_cast<float>(random.normal());
  for (float& weight : made.weights.values()) weight = random.coin(0.1) ? 0.0f : 1.0f;
  std::iota(made.rows.begin(), made.rows.end(), 0);
  return made;
}

Matrix<std::uint8_t> random_pairs(int nodes, double share) {
  Matrix<std::uint8_t> allowed(nodes, nodes, 0);
  RandomStream random(4, 0, 0);
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j) allowed(i, j) = i != j && random.coin(share);
  return allowed;
}

at::Tensor as_tensor(const Matrix<float>& values) {
  const at::Tensor tensor = at::empty({static_cast<long>(values.rows()), static_cast<long>(values.cols())});
  std::copy(values.values().begin(), values.values().end(), tensor.data_ptr<float>());
  return tensor;
}

// The reference has the same weights in the layout of tensors; its derivatives come from autograd.
void expect_reference_gradient(int nodes, double share, int hidden, int rows) {
  SCOPED_TRACE(testing::Message() << nodes << " nodes, share " << share << ", " << hidden << " units");
  const Example data = example(rows, nodes);
  const Matrix<std::uint8_t> allowed = random_pairs(nodes, share);
  RandomStream random(5, 0, 0), other(6, 0, 0);
  NodeNetworks networks(allowed, hidden, random);
  for (int j = 0; j < nodes; ++j)  // larger than fresh ones, so that every part of the loss is felt
    for (float& parameter : networks.parameters(j))
      if (parameter != 0.0f) parameter = static_cast<float>(0.5 * random.normal());
  const Matrix<std::uint8_t> all(nodes, nodes, 1);  // the layout in which place = source
  GroupedMlp reference(all, hidden, other, at::kCPU);
  std::vector<at::Tensor> leaves = reference.snapshot();
  leaves[0].zero_();
  const int units = (hidden + 4) / 5 * 5;
  const auto small = [&](int node) { return networks.parameters(node).size() - 3 * units - 2; };
  for (int j = 0; j < nodes; ++j) {
    const std::vector<float>& parameters = networks.parameters(j);
    for (int u = 0; u < hidden; ++u) {
      for (int i = 0; i < nodes; ++i) {
        const auto place = networks.place(j, i, u);
        ASSERT_EQ(place >= 0, allowed(i, j) == 1);
        if (place >= 0) leaves[0][i][j][u] = parameters[place];
      }
      leaves[1][j][0][u] = parameters[small(j) + u];
      leaves[2][j][u][0] = parameters[small(j) + units + u];
      leaves[2][j][u][1] = parameters[small(j) + 2 * units + u];
    }
    leaves[3][j][0][0] = parameters[small(j) + 3 * units];
    leaves[3][j][0][1] = parameters[small(j) + 3 * units + 1];
  }
  reference.restore(leaves);
  const at::Tensor values = as_tensor(data.values), weights = as_tensor(data.weights);
  const GroupedMlp::Output output = reference.forward(values);
  const at::Tensor deviation = values - output.mean;
  const at::Tensor losses =
      (0.5 * (output.variance.log() + deviation * deviation / output.variance + std::log(2 * M_PI)) * weights)
          .sum(0) /
      rows;
  const std::vector<at::Tensor> expected = torch::autograd::grad({losses.sum()}, reference.leaves());

  const PackedRows packed(data.values, data.weights, data.rows, networks.wants_across());
  for (int j = 0; j < nodes; ++j) {
    EXPECT_NEAR(networks.loss(j, packed), losses[j].item<double>(), 1e-4);
    const std::vector<float> found = networks.loss_gradient(j, packed);
    for (int u = 0; u < hidden; ++u) {
      for (int i = 0; i < nodes; ++i)
        if (allowed(i, j)) {
          EXPECT_NEAR(found[networks.place(j, i, u)], expected[0][i][j][u].item<float>(), 2e-5);
        }
      EXPECT_NEAR(found[small(j) + u], expected[1][j][0][u].item<float>(), 2e-5);
      EXPECT_NEAR(found[small(j) + units + u], expected[2][j][u][0].item<float>(), 1e-4);
      EXPECT_NEAR(found[small(j) + 2 * units + u], expected[2][j][u][1].item<float>(), 1e-4);
    }
    EXPECT_NEAR(found[small(j) + 3 * units], expected[3][j][0][0].item<float>(), 1e-4);
    EXPECT_NEAR(found[small(j) + 3 * units + 1], expected[3][j][0][1].item<float>(), 1e-4);
    // Nothing may move what is not a weight.
    for (std::size_t k = 0; k < found.size(); ++k)
      if (networks.parameters(j)[k] == 0.0f) {
        EXPECT_EQ(found[k], 0.0f);
      }
  }
}

TEST(NodeNetworks, GradientIsThatOfTheTensors) {
  expect_reference_gradient(7, 0.9, 3, 70);
  expect_reference_gradient(40, 0.1, 10, 64);
  expect_reference_gradient(40, 0.8, 10, 33);
  expect_reference_gradient(5, 0.0, 1, 5);
}

TEST(NodeNetworks, RadiusGradientIsTheSlopeOfTheSpectralRadius) {
  const int n = 6;
  RandomStream random(8, 0, 0);
  NodeNetworks networks(random_pairs(n, 0.6), 4, random);
  for (int j = 0; j < n; ++j)
    for (float& parameter : networks.parameters(j)) parameter *= 10.0f;
  networks.restore(networks.snapshot());  // norms follow
  for (int k = 0; k < 20; ++k) networks.update_radius_gradients();
  const Matrix<double> norms = networks.norms(), found = networks.radius_gradients();
  const auto radius = [&](int row, int column, double change) {
    std::vector<double> vector(n, 1.0), next(n);
    double growth = 0.0;
    for (int step = 0; step < 500; ++step) {
      for (int i = 0; i < n; ++i) {
        next[i] = 0.0;
        for (int j = 0; j < n; ++j)
          next[i] += (norms(i, j) + 1e-6 + (i == row && j == column ? change : 0.0)) * vector[j];
      }
      growth = std::accumulate(next.begin(), next.end(), 0.0);
      for (int i = 0; i < n; ++i) vector[i] = next[i] / growth;
    }
    return growth;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (norms(i, j) == 0.0) continue;
      EXPECT_NEAR(found(i, j), (radius(i, j, 1e-5) - radius(i, j, -1e-5)) / 2e-5, 1e-3) << i << j;
    }
}

TEST(SdcdModel, ProcessorAndTensorsLearnTheSame) {
  const int n = 8, rows = 120;
  SdcdRows data{Matrix<float>(rows, n), Matrix<float>(rows, n, 1.0f), {}, {}};
  RandomStream random(9, 0, 0);
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < n; ++v)
      data.values(r, v) =
          static_cast<float>(0.6 * random.normal() + (v > 0 ? 0.8 * data.values(r, v - 1) : 0.0));
    (r % 4 == 0 ? data.validation : data.training).push_back(r);
  }
  const Matrix<std::uint8_t> allowed = random_pairs(n, 1.0);
  const auto plain = sdcd_tensor_model(data, allowed, 5, 64, at::kCPU, RandomStream(10, 0, 0));
  const auto fast = sdcd_cpu_model(data, allowed, 5, 64, 1, RandomStream(11, 0, 0));
  const double before = fast->validation_loss();
  for (int epoch = 0; epoch < 120; ++epoch) {
    const SdcdPrices prices{0.01, 0.01, 0.001, 0.01 * epoch};
    plain->epoch(data.training, prices);
    fast->epoch(data.training, prices);
  }
  EXPECT_LT(fast->validation_loss(), before - 1.0);
  EXPECT_NEAR(fast->validation_loss(), plain->validation_loss(), 0.1);
  fast->remember();
  const Matrix<double> kept = fast->norms();
  fast->epoch(data.training, {0.01, 0, 0, 0});
  EXPECT_NE(fast->norms(), kept);
  fast->bring_back();
  EXPECT_EQ(fast->norms(), kept);
}

}  // namespace
}  // namespace causcale
