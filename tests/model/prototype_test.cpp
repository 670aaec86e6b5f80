// The first full-size weights, which lie beside the full set of reference files, give the probabilities that
// were stored when they were trained (raw prior from all rows, pairs read i < j only).
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/npy.h"
#include "model/causcale.h"
#include "model/checkpoint.h"
#include "model/golden_case.h"
#include "prior/precision.h"
#include "support/golden.h"

namespace causcale::test {
namespace {

ModelInput synthetic_input(const std::string& name) {
  const Matrix<double> values = golden_matrix("synthetic/" + name + "_data.npy");
  const NpyArray targets = golden_npy("synthetic/" + name + "_targets.npy");
  const std::int64_t m = static_cast<std::int64_t>(values.rows()),
                     n = static_cast<std::int64_t>(values.cols());
  const at::Tensor raw = at::tensor(values.values(), at::kDouble).view({m, n});
  const at::Tensor deviation = raw.std(0, /*unbiased=*/false);
  const at::Tensor standardised =
      (raw - raw.mean(0)) / deviation.where(deviation > 0, at::ones_like(deviation));
  const at::Tensor target = at::tensor(targets.values, at::kDouble).to(at::kLong);
  const at::Tensor flags = target.unsqueeze(1) == at::arange(n).unsqueeze(0);
  const Matrix<double> prior = precision_prior(values);  // raw scale, all rows
  ModelInput input;
  input.data = at::stack({standardised, flags.to(at::kDouble)}, -1).unsqueeze(0).to(at::kFloat);
  input.prior = at::tensor(prior.values(), at::kDouble).view({1, n, n}).to(at::kFloat);
  return input;
}

class Prototype : public testing::TestWithParam<const char*> {};

TEST_P(Prototype, GivesTheStoredProbabilities) {
  const std::string name = GetParam();
  if (!golden_is_full()) GTEST_SKIP() << "the weights are too large for the compact selection";
  const std::filesystem::path folder = golden_folder() / ".." / "prototype_weights";
  const Model model = load_model(folder / "prototype.safetensors");
  const NpyArray stored = golden_npy("../prototype_weights/expected/" + name + "_prob.npy");
  const std::int64_t n = static_cast<std::int64_t>(stored.shape.at(0));
  const at::Tensor expected = at::tensor(stored.values, at::kDouble).view({n, n});
  const at::Tensor found = edge_probabilities(model.params, model.config, synthetic_input(name), false)[0];
  EXPECT_LE(largest_difference(found, expected), 2e-4);
  EXPECT_LE((found - expected).abs().mean().item<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(DataSets, Prototype,
                         testing::Values("er_n10_deg1_linear_g0", "er_n20_deg2_nn_g0",
                                         "er_n20_deg2_sigmoid_add_g1", "er_n100_deg4_linear_g0"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace causcale::test
