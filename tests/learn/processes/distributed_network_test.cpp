// One table on several processes: the answer of one, and an orderly end when something goes wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/npy.h"
#include "learn/processes/free_port.h"
#include "learn/processes/started_processes.h"
#include "support/random_model.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

class DistributedNetwork : public test::ProcessesTest {
 protected:
  void SetUp() override {
    test::ProcessesTest::SetUp();
    if (IsSkipped()) return;
    ModelConfig config;
    config.blocks = 4;
    config.embed_dim = 16;
    config.heads = 4;
    config.ffn_dim = 32;
    test::write_random_model(folder_ / "model.safetensors", config, {{"views", "2"}});
  }

  std::string table(int variables, int rows) {
    const std::string name = fmt::format("sim{}_{}", variables, rows);
    EXPECT_EQ(exit_code(start({},
                              {"simulate", "synthetic", "-n", std::to_string(variables), "-m",
                               std::to_string(rows), "--seed", "4", "-q", "-o", folder_ / name},
                              "simulate.log")),
              0)
        << text("simulate.log");
    return folder_ / name / "data.csv";
  }
  std::vector<std::string> arguments(const std::string& data, const std::string& out,
                                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> list = {"discover", data,       "--model",    folder_ / "model.safetensors",
                                     "-q",       "--device", "cpu",        "--precision",
                                     "fp32",     "--matrix", folder_ / out};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  std::vector<pid_t> start_all(int size, const std::string& data, std::vector<std::string> more = {}) {
    const int port = free_port();
    more.push_back("--distributed");
    std::vector<pid_t> processes;
    for (int rank = 0; rank < size; ++rank)
      processes.push_back(start(test::variables_of(rank, size, port), arguments(data, "several.npy", more),
                                fmt::format("log{}", rank)));
    return processes;
  }
  static double processor_seconds(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string word;
    double ticks = 0;
    for (int field = 1; file >> word; ++field)
      if (field == 14 || field == 15) ticks += std::stod(word);
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  double largest_difference() const {
    const NpyArray one = read_npy(folder_ / "one.npy"), several = read_npy(folder_ / "several.npy");
    EXPECT_EQ(one.shape, several.shape);
    double largest = 0;
    for (std::size_t k = 0; k < one.values.size(); ++k)
      largest = std::max(largest, std::abs(one.values[k] - several.values[k]));
    return largest;
  }
};

TEST_F(DistributedNetwork, GivesTheProbabilitiesOfOneProcess) {
  for (const auto& [variables, rows] : {std::pair(11, 53), std::pair(3, 40)}) {
    const std::string data = table(variables, rows);
    ASSERT_EQ(exit_code(start({}, arguments(data, "one.npy"), "log")), 0) << text("log");
    for (const int size : {1, 2, 4}) {
      const std::vector<pid_t> all = start_all(size, data);
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(exit_code(all[rank]), 0) << text(fmt::format("log{}", rank));
        EXPECT_EQ(text(fmt::format("log{}", rank)), "");
      }
      EXPECT_LE(largest_difference(), 1e-5) << variables << " variables, " << size << " processes";
    }
  }
}

TEST_F(DistributedNetwork, ALimitOfMemoryAndABootstrapWorkToo) {
  const std::string data = table(7, 60);
  const std::vector<std::string> more = {"--max-memory", "64MiB", "--bootstrap", "2"};
  ASSERT_EQ(exit_code(start({}, arguments(data, "one.npy", more), "log")), 0) << text("log");
  for (const pid_t process : start_all(2, data, more)) EXPECT_EQ(exit_code(process), 0) << text("log0");
  EXPECT_LE(largest_difference(), 1e-5);
}

TEST_F(DistributedNetwork, ATableThatCannotBeReadLetsTheOthersGo) {
  const std::vector<pid_t> all = start_all(2, folder_ / "none.csv");
  EXPECT_EQ(exit_code(all[0]), 1);
  EXPECT_EQ(exit_code(all[1]), 0) << text("log1");
  EXPECT_NE(text("log0").find("none.csv"), std::string::npos) << text("log0");
  EXPECT_EQ(text("log1"), "");
}

TEST_F(DistributedNetwork, TheDeathOfOneEndsAll) {
  const std::string data = table(30, 300);
  const std::vector<pid_t> all = start_all(3, data, {"--bootstrap", "100000"});
  // A process that waits for others takes no time of a processor: one that has taken some is at work.
  for (int k = 0; k < 6000 && processor_seconds(all[1]) < 4; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(all[1], SIGKILL);
  EXPECT_EQ(exit_code(all[1]), 128 + SIGKILL);
  EXPECT_EQ(exit_code(all[0]), 3);
  EXPECT_EQ(exit_code(all[2]), 3);
  EXPECT_NE(text("log0").find("process 0 of 3: "), std::string::npos) << text("log0");
  EXPECT_NE(text("log2").find("process 2 of 3: "), std::string::npos) << text("log2");
  EXPECT_FALSE(fs::exists(folder_ / "several.npy"));
}

TEST_F(DistributedNetwork, ManyTablesAndMethodsAreRefused) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--out-dir", "x"}, std::vector<std::string>{"--method", "pc"}}) {
    std::vector<std::string> list = {"discover", "t.csv", "--distributed"};
    list.insert(list.end(), more.begin(), more.end());
    EXPECT_EQ(exit_code(start({}, list, "log")), 2);
    EXPECT_NE(text("log").find("--distributed shares one table's network"), std::string::npos) << text("log");
  }
}

}  // namespace
}  // namespace causcale
