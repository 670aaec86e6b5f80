// The gradient of the whole network on the GPU: fused operations against the plain composition. Single
// operations have tests of their own; this one sees what only their interplay would show.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/causcale.h"

namespace causcale {
namespace {

struct Gradient {
  double loss;
  std::vector<std::string> names;
  std::vector<at::Tensor> values;  // double, on the CPU
};

struct Case {
  int batch, rows, nodes;
};

ModelInput random_input(const Case& size) {
  at::manual_seed(7);
  const at::Tensor values = at::randn({size.batch, size.rows, size.nodes, 1});
  const at::Tensor flags = at::rand({size.batch, size.rows, size.nodes, 1}).lt(0.02).to(at::kFloat);
  const at::Tensor factor = at::randn({size.batch, size.nodes, size.nodes}) / std::sqrt(double(size.nodes));
  return {
      at::cat({values, flags}, -1), at::bmm(factor, factor.transpose(1, 2)) + at::eye(size.nodes), {}, {}};
}

Gradient gradient(const Case& size, at::ScalarType type, bool plain) {
  const ModelConfig config;
  ModelParams params = initialise_parameters(config, 3);
  Gradient result;
  std::vector<at::Tensor> leaves;
  params.visit([&](const std::string& name, at::Tensor& tensor) {
    tensor = tensor.to(at::kCUDA, type).detach().requires_grad_();
    leaves.push_back(tensor);
    result.names.push_back(name);
  });
  ModelInput input = random_input(size);
  input.data = input.data.to(at::kCUDA, type);
  input.prior = input.prior.to(at::kCUDA, type);
  const at::Tensor adjacency = at::ones({size.nodes, size.nodes}, at::kByte)
                                   .triu(1)
                                   .mul(at::arange(size.nodes).remainder(3).eq(0).to(at::kByte))
                                   .expand({size.batch, size.nodes, size.nodes})
                                   .contiguous()
                                   .to(at::kCUDA);
  ExecutionOptions execution;
  execution.plain = plain;
  const at::Tensor logits = pair_logits(params, config, encode(params, config, input, {}, execution));
  const at::Tensor loss = pair_loss(config, logits, adjacency, input);
  result.loss = loss.item<double>();
  for (const at::Tensor& value :
       torch::autograd::grad({loss}, leaves, {}, false, false, /*allow_unused=*/true))
    result.values.push_back(value.defined() ? value.to(at::kCPU, at::kDouble) : at::Tensor());
  return result;
}

double relative_error(const Gradient& got, const Gradient& exact) {
  double error = 0, size = 0;
  for (std::size_t k = 0; k < exact.values.size(); ++k) {
    if (!exact.values[k].defined()) continue;
    error += (got.values[k] - exact.values[k]).square().sum().item<double>();
    size += exact.values[k].square().sum().item<double>();
  }
  return std::sqrt(error / size);
}

class NetworkCuda : public testing::TestWithParam<Case> {};

TEST_P(NetworkCuda, FusedGradientIsAsGoodAsThePlainOne) {
  const Gradient exact = gradient(GetParam(), at::kFloat, true);
  const Gradient plain = gradient(GetParam(), at::kBFloat16, true);
  const Gradient fused = gradient(GetParam(), at::kBFloat16, false);
  const double plain_error = relative_error(plain, exact), fused_error = relative_error(fused, exact);
  RecordProperty("plain_error", std::to_string(plain_error));
  RecordProperty("fused_error", std::to_string(fused_error));
  EXPECT_LT(fused_error, 1.5 * plain_error + 0.01);
  EXPECT_NEAR(fused.loss, exact.loss, 2 * std::abs(plain.loss - exact.loss) + 0.01 * exact.loss);
}

INSTANTIATE_TEST_SUITE_P(Sizes, NetworkCuda,
                         testing::Values(Case{3, 130, 20}, Case{2, 250, 100}, Case{1, 200, 300}));

}  // namespace
}  // namespace causcale
