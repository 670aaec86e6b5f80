// NCCL as a training process uses it. A GPU can be in a group only once, so with one GPU there is one
// process; that still forms a group, runs the operations on their own stream, and orders them with the
// computation.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "learn/networks/training_device.h"
#include "learn/processes/free_port.h"
#include "learn/processes/process_group.h"

namespace causcale {
namespace {

TEST(NcclCuda, SumsAndCopiesFollowTheComputation) {
  const at::Device device = training_device(Device::kCuda);
  ASSERT_TRUE(ProcessGroup::available(device));
  LaunchEnvironment launch;
  launch.address = "127.0.0.1";
  launch.port = free_port();
  ProcessGroup group(launch, device);

  const at::Tensor ones = at::ones({1 << 24}, at::TensorOptions(device).dtype(at::kFloat));
  at::Tensor values = ones.clone();
  std::unique_ptr<ProcessGroup::Pending> sum;
  for (int round = 1; round <= 20; ++round) {
    values.add_(ones);  // still running when the sum is asked for
    sum = group.start_sum(values);
    sum->wait();
    values.mul_(2);
  }
  // x -> 2 (x + 1), twenty times from 1.
  EXPECT_EQ(values.min().item<float>(), 3 * (1 << 20) - 2);
  EXPECT_EQ(values.max().item<float>(), 3 * (1 << 20) - 2);

  group.broadcast(values);
  EXPECT_EQ(values[0].item<float>(), 3 * (1 << 20) - 2);
  EXPECT_EQ(group.from_first("said"), "said");
  group.leave();
}

}  // namespace
}  // namespace causcale
