#include "base/work_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "causcale/error.h"

namespace causcale {
namespace {

WorkShare share_with(const std::map<std::string, std::string>& environment) {
  return work_share_of_launcher([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(WorkShare, IsEverythingWithoutALauncher) {
  EXPECT_EQ(share_with({}), WorkShare{});
  EXPECT_EQ(share_with({{"OMPI_COMM_WORLD_RANK", ""}, {"OMPI_COMM_WORLD_SIZE", ""}}), WorkShare{});
  // A batch script without srun knows its rank only.
  EXPECT_EQ(share_with({{"SLURM_PROCID", "0"}}), WorkShare{});
}

TEST(WorkShare, OfEveryLauncher) {
  EXPECT_EQ(share_with({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}),
            (WorkShare{2, 4, "OMPI_COMM_WORLD_RANK"}));
  EXPECT_EQ(share_with({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}}), (WorkShare{0, 3, "PMI_RANK"}));
  EXPECT_EQ(share_with({{"SLURM_PROCID", "7"}, {"SLURM_STEP_NUM_TASKS", "8"}}),
            (WorkShare{7, 8, "SLURM_PROCID"}));
  // mpirun within a SLURM job: its own numbers count.
  EXPECT_EQ(share_with({{"OMPI_COMM_WORLD_RANK", "1"},
                        {"OMPI_COMM_WORLD_SIZE", "2"},
                        {"SLURM_PROCID", "0"},
                        {"SLURM_STEP_NUM_TASKS", "1"}})
                .index,
            1u);
}

TEST(WorkShare, OfASlurmArray) {
  const std::map<std::string, std::string> task = {{"SLURM_ARRAY_TASK_ID", "30"},
                                                   {"SLURM_ARRAY_TASK_MIN", "10"},
                                                   {"SLURM_ARRAY_TASK_STEP", "10"},
                                                   {"SLURM_ARRAY_TASK_COUNT", "5"}};
  EXPECT_EQ(share_with(task), (WorkShare{2, 5, "SLURM_ARRAY_TASK_ID"}));
  auto with_ranks = task;
  with_ranks["SLURM_PROCID"] = "1";
  with_ranks["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(share_with(with_ranks).index, 9u);
  EXPECT_EQ(share_with(with_ranks).count, 20u);
  // Numbers that no step explains still name a part.
  const WorkShare odd = share_with({{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_COUNT", "5"}});
  EXPECT_LT(odd.index, odd.count);
}

TEST(WorkShare, RefusesNumbersThatCannotBe) {
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"PMI_RANK", "4"},
                                    {"PMI_RANK", "-1"},
                                    {"PMI_RANK", "one"},
                                    {"PMI_RANK", "99999999999999"}})
    try {
      share_with({{name, value}, {"PMI_SIZE", "4"}});
      FAIL() << value;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("PMI_RANK=" + value), std::string::npos) << error.what();
    }
}

TEST(WorkShare, AsAUserWritesIt) {
  EXPECT_EQ(parse_work_share("0/1", "--share"), (WorkShare{0, 1, "--share"}));
  EXPECT_EQ(parse_work_share("3/8", "--share").index, 3u);
  for (const char* const text : {"", "3", "8/8", "3/", "/3", "-1/2", "1/2/3", "a/b", "1 /2"})
    EXPECT_THROW(parse_work_share(text, "--share"), UsageError) << text;
}

TEST(WorkShare, EveryOrderHoldsEveryPieceOnceAndBeginsWithItsOwn) {
  for (const std::size_t pieces : {0, 1, 5, 12})
    for (const std::size_t count : {1, 2, 3, 20}) {
      std::vector<std::size_t> owned(pieces, 0);
      for (std::size_t index = 0; index < count; ++index) {
        const WorkShare share{index, count, ""};
        std::vector<std::size_t> order = work_order(share, pieces);
        const auto own = static_cast<std::size_t>(
            std::ranges::count_if(order, [&](std::size_t k) { return share.owns(k); }));
        for (std::size_t at = 0; at < order.size(); ++at) EXPECT_EQ(share.owns(order[at]), at < own);
        for (const std::size_t k : order) owned[k] += share.owns(k);
        std::ranges::sort(order);
        ASSERT_EQ(order.size(), pieces);
        for (std::size_t k = 0; k < pieces; ++k) EXPECT_EQ(order[k], k);
      }
      EXPECT_EQ(std::ranges::count(owned, 1u), static_cast<std::ptrdiff_t>(pieces));
    }
}

}  // namespace
}  // namespace causcale
