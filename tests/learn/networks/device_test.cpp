#include "learn/networks/device.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include "causcale/error.h"

namespace causcale {
namespace {

TEST(ChooseDevice, TakesWhatIsThere) {
  EXPECT_TRUE(tensor_device(Device::kCpu).is_cpu());
  EXPECT_EQ(tensor_device(Device::kAuto).is_cuda(), cuda_available());
}

TEST(ChooseDevice, RefusesWhatIsNotInTheWordsOfTheUser) {
  if (cuda_available()) GTEST_SKIP() << "CUDA is there";
  try {
    tensor_device(Device::kCuda, "device=cuda");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("device=cuda: ")) << error.what();
    EXPECT_NE(std::string(error.what()).find(why_no_cuda()), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace causcale
