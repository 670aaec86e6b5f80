#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace causcale {
namespace {

TEST(ThreadPool, EveryItemOnceAndSlotsAreNotShared) {
  for (const int threads : {1, 2, 3, 7})
    for (const std::int64_t grain : {1, 4, 1000}) {
      std::vector<std::atomic<int>> visits(997);
      std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
      for_each_block(997, grain, threads, [&](const WorkBlock& block) {
        ASSERT_GE(block.slot, 0);
        ASSERT_LT(block.slot, threads);
        EXPECT_EQ(++inside[static_cast<std::size_t>(block.slot)], 1);
        EXPECT_EQ(block.begin % grain, 0);
        for (std::int64_t i = block.begin; i < block.end; ++i) ++visits[static_cast<std::size_t>(i)];
        --inside[static_cast<std::size_t>(block.slot)];
      });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
}

TEST(ThreadPool, CallsWithinCalls) {
  std::atomic<int> total{0};
  for_each_item(20, 4, [&](std::int64_t, int) { for_each_item(30, 4, [&](std::int64_t, int) { ++total; }); });
  EXPECT_EQ(total, 600);
}

TEST(ThreadPool, CallsFromSeveralThreads) {
  std::atomic<int> total{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) for_each_item(17, 3, [&](std::int64_t, int) { ++total; });
    });
  callers.clear();
  EXPECT_EQ(total, 4 * 50 * 17);
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(for_each_item(100, 3,
                               [&](std::int64_t item, int) {
                                 if (item == 37) throw std::runtime_error("item 37");
                               }),
                 std::runtime_error);
    std::atomic<int> total{0};
    for_each_item(10, 3, [&](std::int64_t, int) { ++total; });
    EXPECT_EQ(total, 10);
  }
}

#if !defined(__SANITIZE_THREAD__)  // whose run-time allows no threads after fork()
TEST(ThreadPool, AChildOfForkWorks) {
  for_each_item(100, 3, [](std::int64_t, int) {});  // the parent's threads are there
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a child that hangs ends with a signal
    std::atomic<int> total{0};
    for_each_item(1000, 3, [&](std::int64_t, int) { ++total; });
    _exit(total == 1000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

}  // namespace
}  // namespace causcale
