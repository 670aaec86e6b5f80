// Packed weights must never be those of earlier values.
#include "learn/autograd/cuda/packed_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

namespace causcale::autograd {
namespace {

struct Counted {
  PackedWeights packed;
  int calls = 0;
  at::Tensor get(const at::Tensor& first, const at::Tensor& second) {
    return packed.get(first, second, [&] {
      ++calls;
      return at::cat({first.flatten(), second.flatten()});
    });
  }
};

TEST(PackedWeights, ArePackedOnce) {
  Counted counted;
  const at::Tensor a = at::ones({2, 2}), b = at::ones({2}), c = at::zeros({2, 2});
  const at::Tensor once = counted.get(a, b);
  const c10::InferenceMode inference;
  EXPECT_TRUE(counted.get(a, b).is_same(once));
  EXPECT_EQ(counted.calls, 1);
  counted.get(c, b);
  EXPECT_TRUE(counted.get(a, b).is_same(once));
  EXPECT_EQ(counted.calls, 2);
}

TEST(PackedWeights, FollowChangesInPlace) {
  Counted counted;
  const at::Tensor flat = at::ones({6}), a = flat.narrow(0, 0, 4).view({2, 2}), b = flat.narrow(0, 4, 2);
  counted.get(a, b);
  {
    const c10::NoGradGuard no_grad;
    flat.copy_(at::arange(6, at::kFloat));  // as the trainer publishes its weights
  }
  EXPECT_TRUE(at::equal(counted.get(a, b), at::arange(6, at::kFloat)));
  b.add_(1.0);
  EXPECT_EQ(counted.get(a, b)[5].item<float>(), 6.0f);
  EXPECT_EQ(counted.calls, 3);
}

TEST(PackedWeights, OtherTensorsInTheSameMemoryAreOthers) {
  Counted counted;
  const at::Tensor a = at::ones({2, 2}), b = at::ones({2});
  counted.get(a, b);
  EXPECT_EQ(counted.get(a.view({4, 1}), b).numel(), 6);
  EXPECT_EQ(counted.calls, 2);
}

TEST(PackedWeights, TensorsOfInferenceModeAreNeverKept) {
  Counted counted;
  const c10::InferenceMode inference;
  const at::Tensor a = at::ones({2, 2}), b = at::ones({2});
  counted.get(a, b);
  a.fill_(3.0);
  EXPECT_EQ(counted.get(a, b)[0].item<float>(), 3.0f);
}

}  // namespace
}  // namespace causcale::autograd
