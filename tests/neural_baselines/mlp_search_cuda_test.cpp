// The search of NOTEARS-MLP on a GPU against that of the processor.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "mlp_problems.h"
#include "train/device.h"

namespace causcale {
namespace {

TEST(MlpSearchCuda, StepsAsTheProcessorDoes) {
  const at::Device device = training_device("auto");
  if (!device.is_cuda()) GTEST_SKIP() << "no CUDA device";
  const MlpProblem problem = test::random_problem();
  const auto cpu = mlp_cpu_search(problem, test::random_start(problem), 1);
  const auto cuda = mlp_tensor_search(problem, test::random_start(problem), device);
  EXPECT_NEAR(cuda->constraint(), cpu->constraint(), 1e-10);
  OwlQnOptions options;
  options.max_iterations = 5;
  options.memory = 3;
  for (const double weight : {1.0, 10.0}) {
    cpu->weight = cuda->weight = weight;
    cpu->multiplier = cuda->multiplier = 0.5;
    const OwlQnResult expected = cpu->descend(options, [] {});
    const OwlQnResult found = cuda->descend(options, [] {});
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_NEAR(found.value, expected.value, 1e-5 * expected.value);  // networks in single precision
    const Matrix<double> a = cpu->norms(), b = cuda->norms();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b.values()[i], a.values()[i], 1e-4) << i;
  }
}

}  // namespace
}  // namespace causcale
