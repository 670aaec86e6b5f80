// Several processes that train one model: the same as one process with the joint batch, whatever launcher
// started them, and an orderly end when one of them dies.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "causcale/error.h"
#include "learn/data/batches.h"
#include "learn/processes/free_port.h"
#include "learn/processes/launch.h"
#include "learn/processes/local_address.h"
#include "learn/processes/process_group.h"
#include "learn/processes/started_processes.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;
using test::Variables;
using test::variables_of;

LaunchEnvironment launch(const Variables& variables) {
  return launch_from_environment([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

TEST(Launch, ReadsEveryLaunchersVariables) {
  EXPECT_FALSE(launch({}).several());
  const LaunchEnvironment torchrun = launch({{"RANK", "5"},
                                             {"WORLD_SIZE", "8"},
                                             {"LOCAL_RANK", "1"},
                                             {"LOCAL_WORLD_SIZE", "4"},
                                             {"MASTER_ADDR", "node7"},
                                             {"MASTER_PORT", "1234"},
                                             {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                             {"OMPI_COMM_WORLD_RANK", "0"}});
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.size, 8);
  EXPECT_EQ(torchrun.local_rank, 1);
  EXPECT_EQ(torchrun.local_size, 4);
  EXPECT_EQ(torchrun.address, "node7");
  EXPECT_EQ(torchrun.port, 1234);
  EXPECT_TRUE(torchrun.store_exists);
  const LaunchEnvironment mpirun = launch({{"OMPI_COMM_WORLD_RANK", "2"},
                                           {"OMPI_COMM_WORLD_SIZE", "3"},
                                           {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  EXPECT_EQ(mpirun.rank, 2);
  EXPECT_EQ(mpirun.address, "127.0.0.1");  // all on one machine
  EXPECT_FALSE(mpirun.store_exists);
  const LaunchEnvironment mpich = launch({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MASTER_ADDR", "b"}});
  EXPECT_EQ(mpich.rank, 1);
  EXPECT_EQ(mpich.address, "b");
  const LaunchEnvironment slurm = launch({{"SLURM_PROCID", "6"},
                                          {"SLURM_STEP_NUM_TASKS", "8"},
                                          {"SLURM_NTASKS", "8"},
                                          {"SLURM_LOCALID", "2"},
                                          {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"},
                                          {"SLURM_STEP_NODELIST", "gpu[003-004]"},
                                          {"SLURM_JOB_ID", "40123"}});
  EXPECT_EQ(slurm.rank, 6);
  EXPECT_EQ(slurm.size, 8);
  EXPECT_EQ(slurm.local_rank, 2);
  EXPECT_EQ(slurm.local_size, 4);
  EXPECT_EQ(slurm.address, "gpu003");
  EXPECT_EQ(slurm.port, 20123);
  const LaunchEnvironment node = launch({{"SLURM_PROCID", "1"},
                                         {"SLURM_STEP_NUM_TASKS", "4"},
                                         {"SLURM_STEP_TASKS_PER_NODE", "4"},
                                         {"SLURM_STEP_NODELIST", "a-name-that-nobody-knows"},
                                         {"SLURM_JOB_ID", "40123"},
                                         {"SLURM_STEP_ID", "2"}});
  EXPECT_EQ(node.address, "127.0.0.1");
  EXPECT_NE(node.port, 20123);  // a step beside another
}

TEST(Route, TellsTheWayToAHost) {
  const Route here = route_to("127.0.0.1", 29500);
  EXPECT_EQ(here.from, "127.0.0.1");
  EXPECT_EQ(here.to, "127.0.0.1");
  EXPECT_FALSE(here.leaves_machine);
  // What Debian's installer writes beside a machine's name.
  EXPECT_FALSE(route_to("127.0.1.1", 29500).leaves_machine);
  EXPECT_EQ(route_to("no-such-host.invalid", 29500).from, "");
}

TEST(Launch, ABatchScriptOutsideSrunIsOneProcess) {
  EXPECT_FALSE(
      launch({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_NODELIST", "a,b"}}).several());
}

TEST(Launch, FirstHostOfANodeList) {
  EXPECT_EQ(first_host("gpu[003-005,9],login1"), "gpu003");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("rack[1-2]n[3,5].site"), "rack1n3.site");
  EXPECT_EQ(first_host("alone"), "alone");
  EXPECT_EQ(first_host(""), "");
}

TEST(Launch, ContradictionsAreErrors) {
  EXPECT_THROW(launch({{"RANK", "0"}}), UsageError);
  EXPECT_THROW(launch({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), UsageError);
  EXPECT_THROW(launch({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), UsageError);
  EXPECT_THROW(launch({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}}), UsageError);
  // Several machines, and nobody says which is the first.
  EXPECT_THROW(launch({{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_COMM_WORLD_SIZE", "4"},
                       {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
               UsageError);
}

TEST(DataShare, SharesMakeUpTheJointBatch) {
  const TrainConfig config = parse_train_config(R"({"stages": [{"steps": 1}]})", "test");
  const ExampleSource source(config.stages[0].data);
  const Batch joint = make_batch(source, {0, 0, 100, 5, 30, 6}, 1, false);
  for (int rank = 0; rank < 3; ++rank) {
    const Batch mine = make_batch(source, {0, 0, 100, 5, 30, 2, {rank, 3}}, 1, false);
    EXPECT_EQ(mine.next_dataset, joint.next_dataset);
    for (int b = 0; b < 2; ++b) {
      EXPECT_TRUE(at::equal(mine.input.data[b], joint.input.data[b * 3 + rank]));
      EXPECT_TRUE(at::equal(mine.adjacency[b], joint.adjacency[b * 3 + rank]));
    }
  }
}

class Distributed : public test::ProcessesTest {
 protected:
  // Batches of 24 / processes graphs of 6 x 40 in every process.
  fs::path configuration(int processes, int steps) const {
    const fs::path path =
        folder_ / ("config" + std::to_string(processes) + "_" + std::to_string(steps) + ".json");
    nlohmann::json config = {
        {"model", {{"blocks", 2}, {"embed_dim", 16}, {"heads", 4}, {"ffn_dim", 32}}},
        {"schedule", {{"warmup_steps", 2}}},
        {"average_decay", 0.9},
        {"log_every", 1},
        {"data", {{"tokens", 24 / processes * 240}, {"observational", 0.2}}},
        {"stages", {{{"steps", steps}, {"nodes", 6}, {"rows", 40}}}},
        {"validation",
         {{"every_steps", 4}, {"settings", {{{"nodes", 5}, {"edges", 6}, {"rows", 50}, {"count", 3}}}}}}};
    std::ofstream(path) << config;
    return path;
  }

  std::vector<std::string> arguments(const fs::path& config, const std::string& out,
                                     bool resume = false) const {
    std::vector<std::string> list = {"train",   "--config", config, "--out",     folder_ / out,
                                     "--quiet", "--device", "cpu",  "--threads", "1"};
    if (resume) list.push_back("--resume");
    return list;
  }

  std::vector<pid_t> start_all(int size, const fs::path& config, const std::string& out,
                               bool resume = false) {
    const int port = free_port();
    std::vector<pid_t> processes;
    for (int rank = 0; rank < size; ++rank)
      processes.push_back(start(size == 1 ? Variables{} : variables_of(rank, size, port),
                                arguments(config, out, resume), fmt::format("{}.log{}", out, rank)));
    return processes;
  }

  void run(int size, int steps, const std::string& out, bool resume = false) {
    const std::vector<pid_t> all = start_all(size, configuration(size, steps), out, resume);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      EXPECT_EQ(exit_code(all[rank]), 0) << text(out + ".log" + std::to_string(rank));
  }

  std::vector<nlohmann::json> log(const std::string& out) const {
    std::vector<nlohmann::json> entries;
    std::ifstream file(folder_ / out / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) entries.push_back(nlohmann::json::parse(line));
    return entries;
  }
  // Waits until the log has so many lines.
  bool wait_for_lines(const std::string& out, std::size_t lines) const {
    for (int i = 0; i < 600; ++i) {
      std::ifstream file(folder_ / out / "metrics.jsonl");
      const std::string content{std::istreambuf_iterator<char>(file), {}};
      if (static_cast<std::size_t>(std::count(content.begin(), content.end(), '\n')) >= lines) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  void expect_same_course(const std::string& one, const std::string& other) const {
    const std::vector<nlohmann::json> a = log(one), b = log(other);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i]["step"], b[i]["step"]);
      EXPECT_EQ(a[i]["graphs"], b[i]["graphs"]);
      if (a[i].contains("loss")) {
        // Sums of floats in another order, carried on through the steps.
        EXPECT_NEAR(a[i]["loss"].get<double>(), b[i]["loss"].get<double>(), 1e-4) << i;
        EXPECT_NEAR(a[i]["gradient_norm"].get<double>(), b[i]["gradient_norm"].get<double>(),
                    1e-3 * (1 + a[i]["gradient_norm"].get<double>()));
      } else {
        for (const auto& [name, score] : a[i]["map"].items())
          EXPECT_NEAR(score.get<double>(), b[i]["map"][name].get<double>(), 0.02);
      }
    }
  }
};

TEST_F(Distributed, TwoAndFourProcessesEqualOneWithTheJointBatch) {
  run(1, 5, "one");
  run(2, 5, "two");
  run(4, 5, "four");
  expect_same_course("one", "two");
  expect_same_course("one", "four");
  EXPECT_EQ(log("two").back()["graphs"], 5 * 24);
}

TEST_F(Distributed, ARunGoesOnWithAnotherNumberOfProcesses) {
  // A SIGTERM in the middle, to a process that is not the first: all stop at the same step.
  const std::vector<pid_t> all = start_all(2, configuration(2, 100000), "parts");
  ASSERT_TRUE(wait_for_lines("parts", 2));
  ::kill(all[1], SIGTERM);
  EXPECT_EQ(exit_code(all[0]), 0) << text("parts.log0");
  EXPECT_EQ(exit_code(all[1]), 0) << text("parts.log1");
  const int done = log("parts").back()["step"];
  run(3, done + 3, "parts", /*resume=*/true);
  const std::vector<nlohmann::json> entries = log("parts");
  EXPECT_EQ(entries.back()["step"], done + 3);
  EXPECT_EQ(entries.back()["graphs"], (done + 3) * 24);
  // Depending on the step, the last line is a step's or a validation's.
  const auto step = std::find_if(entries.rbegin(), entries.rend(),
                                 [](const nlohmann::json& entry) { return entry.contains("loss"); });
  EXPECT_EQ(step->value("processes", 0), 3);
}

TEST_F(Distributed, TheDeathOfOneIsReportedAndLeavesAUsableCheckpoint) {
  const std::vector<pid_t> all = start_all(3, configuration(3, 100000), "run");
  ASSERT_TRUE(wait_for_lines("run", 3));
  ::kill(all[1], SIGKILL);
  EXPECT_EQ(exit_code(all[1]), 128 + SIGKILL);
  EXPECT_EQ(exit_code(all[0]), 3);
  EXPECT_EQ(exit_code(all[2]), 3);
  const std::string first = text("run.log0"), last = text("run.log2");
  EXPECT_NE(first.find("process 1 of 3"), std::string::npos) << first;
  EXPECT_NE(first.find("--resume"), std::string::npos) << first;
  EXPECT_NE(last.find("process 2 of 3: "), std::string::npos) << last;
  const int done = log("run").back()["step"];
  run(1, done + 3, "run", /*resume=*/true);
  EXPECT_EQ(log("run").back()["step"], done + 3);
}

TEST_F(Distributed, AnErrorOfTheFirstIsToldToAll) {
  run(1, 1, "run");
  const std::vector<pid_t> all = start_all(2, configuration(2, 4), "run");  // no --resume
  EXPECT_EQ(exit_code(all[0]), 2);
  EXPECT_EQ(exit_code(all[1]), 3);
  EXPECT_NE(text("run.log1").find("already holds a run"), std::string::npos) << text("run.log1");
}

}  // namespace
}  // namespace causcale
