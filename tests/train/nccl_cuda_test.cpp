// NCCL as a training process uses it. A GPU can be in a group only once, so with one GPU there is one
// process; that still forms a group, runs the operations on their own stream, and orders them with the
// computation.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "train/device.h"
#include "train/process_group.h"

namespace causcale {
namespace {

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::close(socket);
  return ntohs(address.sin_port);
}

TEST(NcclCuda, SumsAndCopiesFollowTheComputation) {
  const at::Device device = training_device("cuda");
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
