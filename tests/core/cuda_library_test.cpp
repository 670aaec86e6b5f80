// What is said of a GPU where the library for it, or the GPU, is missing.
#include "core/cuda_library.h"

#include <gtest/gtest.h>

#include "causcale/error.h"

namespace causcale {
namespace {

TEST(ChooseDevice, TheProcessorIsAlwaysThere) {
  const ChosenDevice chosen = choose_device(Device::kCpu, {});
  EXPECT_EQ(chosen.device, Device::kCpu);
  EXPECT_EQ(chosen.library, nullptr);
}

TEST(ChooseDevice, WhatIsAskedForIsThereOrTheReasonIsSaid) {
  try {
    const ChosenDevice chosen = choose_device(Device::kCuda, {});
    EXPECT_EQ(chosen.device, Device::kCuda);
    if (chosen.library) {
      EXPECT_GE(chosen.gpu.major, 8);
      EXPECT_TRUE(chosen.gpu.why_not.empty());
      EXPECT_TRUE(chosen.library->computes({}));
      EXPECT_EQ(choose_device(Device::kAuto, {}).library, chosen.library);
    }
  } catch (const UsageError& error) {
    const std::string said = error.what();
    EXPECT_TRUE(said.starts_with("--device cuda: ")) << said;
    EXPECT_TRUE(said.ends_with("; accepted: auto, cpu")) << said;
    EXPECT_GT(said.size(), std::string("--device cuda: ; accepted: auto, cpu").size());
    EXPECT_EQ(choose_device(Device::kAuto, {}).device, Device::kCpu);
  }
}

TEST(CudaDevices, KernelsAndBFloat16ByComputeCapability) {
  EXPECT_EQ((CudaDevice{"", 9, 0, ""}.kernels()), "sm_90");
  EXPECT_TRUE((CudaDevice{"", 9, 0, ""}.multiplies_bf16()));
  for (const int major : {8, 10, 12}) EXPECT_FALSE((CudaDevice{"", major, 0, ""}.multiplies_bf16()));
}

}  // namespace
}  // namespace causcale
