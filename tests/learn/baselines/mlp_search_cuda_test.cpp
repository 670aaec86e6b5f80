// The search of NOTEARS-MLP on a GPU against that of the processor.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "learn/networks/training_device.h"
#include "mlp_problems.h"

namespace causcale {
namespace {

TEST(MlpSearchCuda, StepsAsTheProcessorDoes) {
  const at::Device device = training_device(Device::kAuto);
  if (!device.is_cuda()) GTEST_SKIP() << "no CUDA device";
  test::expect_the_processors_steps(device);
}

}  // namespace
}  // namespace causcale
