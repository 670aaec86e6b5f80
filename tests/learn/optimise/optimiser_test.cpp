// Muon and AdamW against plain implementations and golden losses; schedule; step guard.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "learn/networks/checkpoint.h"
#include "learn/optimise/muon.h"
#include "learn/optimise/schedule.h"
#include "learn/run/learner.h"
#include "support/golden.h"

namespace causcale {
namespace {

TrainConfig tiny_config() {
  TrainConfig config;
  config.model.blocks = 3;
  config.model.embed_dim = 16;
  config.model.heads = 4;
  config.model.ffn_dim = 32;
  config.stages.resize(1);
  config.stages[0].steps = 100;
  return config;
}

at::Tensor random_tensor(at::IntArrayRef shape, std::uint32_t item) {
  at::Tensor result = at::empty(shape, at::kDouble);
  RandomStream random(7, 0, 1, item);
  double* values = result.data_ptr<double>();
  for (std::int64_t i = 0; i < result.numel(); ++i) values[i] = random.normal();
  return result;
}

using Plain = Matrix<double>;

Plain product(const Plain& a, const Plain& b) {
  Plain result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k)
      for (std::size_t j = 0; j < b.cols(); ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}
Plain transposed(const Plain& a) {
  Plain result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  return result;
}
Plain plain_orthogonalise(Plain x, int steps) {
  double square = 0.0;
  for (double value : x.values()) square += value * value;
  for (double& value : x.values()) value /= std::sqrt(square) + 1e-7;
  for (int step = 0; step < steps; ++step) {
    const Plain s = product(x, transposed(x)), ss = product(s, s);
    Plain p(s.rows(), s.cols());
    for (std::size_t i = 0; i < p.size(); ++i)
      p.values()[i] = -4.7750 * s.values()[i] + 2.0315 * ss.values()[i];
    const Plain px = product(p, x);
    for (std::size_t i = 0; i < x.size(); ++i) x.values()[i] = 3.4445 * x.values()[i] + px.values()[i];
  }
  return x;
}
Plain to_plain(const at::Tensor& tensor) {
  const at::Tensor values = tensor.to(at::kDouble).contiguous();
  const double* first = values.data_ptr<double>();
  return Plain(values.size(0), values.size(1), std::vector<double>(first, first + values.numel()));
}
double largest_difference(const Plain& a, const Plain& b) {
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    result = std::max(result, std::abs(a.values()[i] - b.values()[i]));
  return result;
}

TEST(Muon, OrthogonalisesLikeThePlainIteration) {
  for (const auto& [rows, cols] : {std::pair{12, 12}, {8, 20}, {20, 8}}) {
    const at::Tensor batch = random_tensor({3, rows, cols}, 1);
    const at::Tensor result = orthogonalise(batch, 5);
    for (int i = 0; i < 3; ++i)
      EXPECT_LT(largest_difference(to_plain(result[i]), plain_orthogonalise(to_plain(batch[i]), 5)), 1e-10);
  }
}

TEST(Muon, SingularValuesEndNearOne) {
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const at::Tensor batch = random_tensor({4, 24, 48}, 2).to(type);
    const at::Tensor values = at::linalg_svdvals(orthogonalise(batch, 5).to(at::kDouble));
    EXPECT_GT(values.min().item<double>(), 0.5);
    EXPECT_LT(values.max().item<double>(), 1.3);
  }
}

TEST(Muon, TwoStepsEqualThePlainRule) {
  TrainConfig config = tiny_config();
  TrainingWeights weights(initialise_parameters(config.model, 3), OptimiserKind::kMuon, at::kCPU, at::kDouble,
                          at::kDouble);
  Muon muon(weights.layout(), {}, weights.masters(), at::kDouble);
  const at::Tensor before = weights.masters().clone();
  const at::Tensor accepted = at::ones({}, at::kDouble);
  const at::Tensor first = random_tensor({weights.layout().total}, 3),
                   second = random_tensor({weights.layout().total}, 4);
  muon.step(weights.masters(), first, 0.02, accepted);
  muon.step(weights.masters(), second, 0.01, accepted);

  const ModelParams old = weights.views_of(before), now = weights.views_of(weights.masters());
  const ModelParams g1 = weights.views_of(first), g2 = weights.views_of(second);
  const auto check = [&](const at::Tensor& was, const at::Tensor& is, const at::Tensor& a,
                         const at::Tensor& b) {
    // momentum m1 = a, m2 = .95 a + b; directions a + .95 m1 and b + .95 m2
    const Plain d1 = plain_orthogonalise(to_plain(a * 1.95), 5);
    const Plain d2 = plain_orthogonalise(to_plain(b + 0.95 * (0.95 * a + b)), 5);
    const double scale = std::sqrt(std::max(1.0, static_cast<double>(a.size(0)) / a.size(1)));
    Plain expected = to_plain(was);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected.values()[i] -= scale * (0.02 * d1.values()[i] + 0.01 * d2.values()[i]);
    EXPECT_LT(largest_difference(expected, to_plain(is)), 1e-9);
  };
  const auto& path = [](const ModelParams& params) { return params.blocks[1].graph; };
  check(path(old).feed_forward.up.weight, path(now).feed_forward.up.weight, path(g1).feed_forward.up.weight,
        path(g2).feed_forward.up.weight);  // tall: its step is scaled
  check(path(old).row.out.weight, path(now).row.out.weight, path(g1).row.out.weight, path(g2).row.out.weight);
  const std::int64_t d = config.model.embed_dim;
  for (int part = 0; part < 3; ++part) {  // query, key and value are matrices of their own
    const auto piece = [&](const ModelParams& params) {
      return path(params).row.qkv.weight.narrow(0, part * d, d);
    };
    check(piece(old), piece(now), piece(g1), piece(g2));
  }
  EXPECT_TRUE(at::equal(old.head.first.weight, now.head.first.weight));
  EXPECT_TRUE(at::equal(old.blocks[0].data.row.qkv.bias, now.blocks[0].data.row.qkv.bias));
}

TEST(Muon, EveryMatrixInsideBlocksBelongsToItAndNothingElse) {
  TrainConfig config = tiny_config();
  ModelParams params = initialise_parameters(config.model, 3);
  const WeightLayout layout(params, OptimiserKind::kMuon);
  std::int64_t inside = 0;
  for (const WeightSlice& slice : layout.slices) {
    const bool matrix_in_block = slice.shape.size() == 2 && slice.name.starts_with("blocks.");
    EXPECT_EQ(slice.offset < layout.muon_end, matrix_in_block) << slice.name;
    EXPECT_EQ(slice.offset < layout.decay_end, slice.shape.size() == 2) << slice.name;
    if (matrix_in_block) inside += slice.count;
  }
  std::int64_t grouped = 0;
  for (const MatrixGroup& group : layout.groups) grouped += group.count * group.rows * group.cols;
  EXPECT_EQ(grouped, inside);
}

Batch golden_tiny_batch() {
  const auto tensor = [](const std::string& name) {
    const Matrix<double> values = test::golden_matrix("model/tiny/" + name + ".npy");
    return at::tensor(values.values(), at::kDouble)
        .view({static_cast<std::int64_t>(values.rows()), static_cast<std::int64_t>(values.cols())});
  };
  Batch batch;
  batch.input.data = at::stack({tensor("data"), tensor("interv")}, -1).unsqueeze(0);
  batch.input.prior = tensor("prior").unsqueeze(0);
  batch.adjacency = tensor("dag").to(at::kByte).unsqueeze(0);
  return batch;
}

TEST(AdamW, ReproducesTheGoldenLosses) {
  const auto manifest = nlohmann::json::parse(test::golden_text("model/manifest.json"));
  const auto& expected = manifest["cases"]["tiny"]["adamw_from_these_weights"]["loss_before_step"];
  TrainConfig config = tiny_config();
  config.model.scale_data2graph = {true, false};
  config.model.scale_graph = {false, false};
  config.optimiser = OptimiserKind::kAdamW;
  config.adamw = {0.9, 0.999, 1e-8, 1e-5};
  config.adamw_learning_rate = 1e-3;
  ModelParams params = empty_parameters(config.model);
  visit_stored(params, [](const std::string& name, const at::Tensor& view) {
    const NpyArray stored = test::golden_npy("model/tiny/params/" + name + ".npy");
    const_cast<at::Tensor&>(view).copy_(at::tensor(stored.values, at::kDouble).view(view.sizes()));
  });
  Learner learner(config, params, at::kCPU, at::kDouble);
  const Batch batch = golden_tiny_batch();
  for (std::size_t step = 0; step < expected.size(); ++step)
    EXPECT_NEAR(learner.step(batch, 1.0, step).item<double>(), expected[step].get<double>(), 2e-9) << step;
}

TEST(Schedule, WarmsUpThenFallsToItsEnd) {
  const ScheduleOptions options{10, 0.1};
  EXPECT_DOUBLE_EQ(learning_rate_factor(options, 0, 0.0), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_factor(options, 9, 0.0), 1.0);
  EXPECT_NEAR(learning_rate_factor(options, 500, 0.5), 0.55, 1e-12);
  EXPECT_NEAR(learning_rate_factor(options, 1000, 1.0), 0.1, 1e-12);
  EXPECT_NEAR(learning_rate_factor(options, 1000, 7.0), 0.1, 1e-12);
  for (int tenth = 0; tenth < 10; ++tenth)
    EXPECT_GT(learning_rate_factor(options, 100, tenth / 10.0),
              learning_rate_factor(options, 100, (tenth + 1) / 10.0));
}

TEST(StepGuard, CountsAndZeroesWhatIsNotFinite) {
  StepGuard guard({}, at::kCPU);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  at::Tensor good = at::full({4}, 0.5), bad = at::full({4}, nan), also = at::full({4}, 0.5);
  EXPECT_EQ(guard.judge(at::tensor(2.0), good).item<float>(), 1.0f);
  EXPECT_EQ(guard.judge(at::tensor(4.0), bad).item<float>(), 0.0f);
  EXPECT_EQ(guard.judge(at::tensor(nan), also).item<float>(), 0.0f);
  EXPECT_TRUE(at::equal(bad, at::zeros({4})));
  EXPECT_TRUE(at::equal(also, at::zeros({4})));
  const StepReport report = StepGuard::read(guard.snapshot());
  EXPECT_EQ(report.steps, 3);
  EXPECT_EQ(report.refused, 2);
  EXPECT_EQ(report.refused_in_a_row, 2);
  EXPECT_DOUBLE_EQ(report.mean_loss, 2.0);
  EXPECT_DOUBLE_EQ(report.mean_gradient_norm, 1.0);
}

TEST(StepGuard, RefusesSpikesButTakesOverALastingChange) {
  StepGuard guard({100.0}, at::kCPU);
  const auto judge = [&](double size) {
    at::Tensor gradient = at::full({1}, size);
    return guard.judge(at::tensor(1.0), gradient).item<float>() == 1.0f;
  };
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(judge(1.0));
  EXPECT_FALSE(judge(1e5));
  EXPECT_TRUE(judge(1.0));
  int refused = 0;
  while (!judge(1e5)) ASSERT_LT(++refused, 40);
}

TEST(StepGuard, ShortensABurstAndForgetsIt) {
  StepGuard guard({.spike_factor = 100.0, .limit_factor = 4.0}, at::kCPU);
  const auto length_after = [&](double size) {
    at::Tensor gradient = at::tensor({0.6 * size, -0.8 * size});
    EXPECT_EQ(guard.judge(at::tensor(1.0), gradient).item<double>(), 1.0);
    EXPECT_NEAR(gradient[0].item<double>() / gradient[1].item<double>(), -0.75, 1e-12);
    return gradient.norm().item<double>();
  };
  EXPECT_DOUBLE_EQ(length_after(90.0), 90.0);  // nothing is usual yet
  for (int i = 0; i < 600; ++i) EXPECT_LE(length_after(1.0), 1.0);
  StepGuard::read(guard.snapshot());
  EXPECT_DOUBLE_EQ(length_after(3.5), 3.5);
  EXPECT_NEAR(length_after(90.0), 4.2, 0.05);   // 3.5 was learnt a little: 1.05
  EXPECT_NEAR(length_after(90.0), 4.45, 0.05);  // each burst counts as four times the usual
  EXPECT_DOUBLE_EQ(length_after(1.0), 1.0);
  const StepReport report = StepGuard::read(guard.snapshot());
  EXPECT_EQ(report.shortened, 2);
  EXPECT_EQ(report.refused, 0);
  EXPECT_DOUBLE_EQ(report.largest_gradient_norm, 90.0);
  EXPECT_EQ(report.largest_at, 1);
  EXPECT_EQ(report.largest_part, -1);
  EXPECT_DOUBLE_EQ(report.mean_gradient_norm, (3.5 + 90.0 + 90.0 + 1.0) / 4.0);
  // The sums begin anew, and another level is the usual one after a while.
  length_after(1.0);
  EXPECT_DOUBLE_EQ(StepGuard::read(guard.snapshot()).largest_gradient_norm, 1.0);
  int shortened = 0;
  while (length_after(20.0) < 20.0) ASSERT_LT(++shortened, 60);
  EXPECT_GT(shortened, 10);
}

TEST(StepGuard, TellsWhereTheLargestGradientWas) {
  const std::vector<WeightSlice> slices = {{"a", {2}, 0, 2}, {"c", {3}, 4, 3}, {"b", {2}, 2, 2}};
  StepGuard guard({}, at::kCPU, slices);
  const auto judge = [&](std::vector<double> gradient, double loss = 1.0) {
    at::Tensor tensor = at::tensor(gradient);
    guard.judge(at::tensor(loss), tensor);
  };
  judge({0, 0, 1, 1, 0, 0, 0});
  judge({1, 0, 0, 0, 2, 2, 0});
  judge({9, 9, 9, 9, 9, 9, 9}, std::numeric_limits<double>::quiet_NaN());  // refused
  judge({1, 2, 0, 0, 0, 1, 0});
  StepReport report = StepGuard::read(guard.snapshot());
  EXPECT_EQ(report.largest_at, 1);
  EXPECT_EQ(report.largest_part, 1);
  EXPECT_DOUBLE_EQ(report.largest_gradient_norm, 3.0);
  judge({0, 0, 0, 1e-3, 0, 0, 0});
  report = StepGuard::read(guard.snapshot());
  EXPECT_EQ(report.largest_at, 0);
  EXPECT_EQ(report.largest_part, 2);
  judge({9, 9, 9, 9, 9, 9, 9}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(StepGuard::read(guard.snapshot()).largest_part, -1);
  // A checkpoint has the norm but not the gradient: a resumed run looks from there on.
  judge({0, 5, 0, 0, 0, 0, 0});
  StepGuard resumed({}, at::kCPU, slices);
  resumed.state().copy_(guard.state());
  at::Tensor small = at::tensor({0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0});
  resumed.judge(at::tensor(1.0), small);
  report = StepGuard::read(resumed.snapshot());
  EXPECT_EQ(report.largest_part, 1);
  EXPECT_EQ(report.largest_at, 1);
}

TEST(StepGuard, ShortensNothingWhereTold) {
  StepGuard guard({.spike_factor = 100.0, .limit_factor = 0.0}, at::kCPU);
  for (int i = 0; i < 60; ++i) {
    at::Tensor usual = at::full({1}, 1.0);
    guard.judge(at::tensor(1.0), usual);
  }
  at::Tensor burst = at::full({1}, 90.0);
  guard.judge(at::tensor(1.0), burst);
  EXPECT_DOUBLE_EQ(burst.item<double>(), 90.0);
}

TEST(Learner, ARefusedStepChangesNothing) {
  TrainConfig config = tiny_config();
  config.adamw.weight_decay = config.muon.weight_decay = 0.1;
  config.average_decay = 0.9;
  Learner learner(config, initialise_parameters(config.model, 1), at::kCPU);
  Batch batch = golden_tiny_batch();
  batch.input.data = batch.input.data.to(at::kFloat);
  batch.input.prior = batch.input.prior.to(at::kFloat);
  for (int step = 0; step < 2; ++step) learner.step(batch, 1.0, step);
  const auto kept = [&] {
    std::vector<at::Tensor> copies;
    for (const auto& [name, tensor] : learner.state())
      if (name != "guard" && name != "average") copies.push_back(tensor.clone());
    return copies;
  };
  const std::vector<at::Tensor> before = kept();
  Batch poisoned = batch;
  poisoned.input.data = batch.input.data.clone();
  poisoned.input.data[0][3][2][0] = std::numeric_limits<float>::quiet_NaN();
  learner.step(poisoned, 1.0, 2);
  const std::vector<at::Tensor> after = kept();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(before[i], after[i])) << i;
  learner.step(batch, 1.0, 3);
  EXPECT_FALSE(at::equal(before[0], kept()[0]));
}

}  // namespace
}  // namespace causcale
