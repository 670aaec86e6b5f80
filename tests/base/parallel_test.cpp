#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace causcale {
namespace {

TEST(ParallelFor, VisitsEachItemOnce) {
  for (int threads : {1, 2, 5, 0}) {
    std::vector<std::atomic<int>> visits(1000);
    parallel_for(visits.size(), threads, [&](std::size_t i) { ++visits[i]; });
    for (const auto& v : visits) EXPECT_EQ(v, 1);
  }
}

TEST(ParallelFor, NothingToDo) {
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, PassesTheExceptionOnAndStops) {
  std::atomic<int> done{0};
  EXPECT_THROW(parallel_for(100000, 3,
                            [&](std::size_t i) {
                              if (i == 10) throw std::runtime_error("item 10");
                              ++done;
                            }),
               std::runtime_error);
  EXPECT_LT(done, 100000 - 1);
}

}  // namespace
}  // namespace causcale
