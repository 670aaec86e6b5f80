// Several processes share the tables of one folder: each is done once, and those of a killed one are taken
// over.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "base/file.h"
#include "support/command_test.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::Outcome;
using test::run_program;

constexpr int kTables = 24;  // tests/launchers/many_tables.sh takes thousands

class WorkQueue : public test::CommandTest {
 protected:
  void SetUp() override {
    const Outcome outcome =
        run_program("simulate synthetic -n 3 -m 30 --seed 8 -q --interventions none --count " +
                    std::to_string(count_) + " -o " + path("sets"));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }
  std::string text(const std::string& name) const { return std::string(MappedFile(path(name)).text()); }

  // Folders have as many digits as their number needs.
  std::string table(int number) const {
    const std::string digits = std::to_string(number);
    return "sets/" + std::string(std::to_string(count_ - 1).size() - digits.size(), '0') + digits +
           "/data.csv";
  }

  std::string command(const std::string& more) const {
    return "discover " + path("sets") +
           "/*/data.csv --threads 1 --evidence off --views 1 --format csv --out-dir " + path("out") + " " +
           more;
  }
  pid_t start(int worker, const std::string& environment, const std::string& more) const {
    const std::string line = environment + " exec '" CAUSCALE_BINARY "' " + command(more) + " > " +
                             path("log" + std::to_string(worker)) + " 2>&1";
    const char* const arguments[] = {"sh", "-c", line.c_str(), nullptr};
    pid_t process = -1;
    EXPECT_EQ(posix_spawnp(&process, "sh", nullptr, nullptr, const_cast<char* const*>(arguments), environ),
              0);
    return process;
  }
  static int wait_for(pid_t process) {
    int status = -1;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  template <class Condition>
  static void wait_until(const Condition& condition) {
    for (int step = 0; step < 30000 && !condition(); ++step)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::size_t results() const {
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator(path("out")))
      found += entry.path().extension() == ".csv" && entry.path().filename() != "summary.csv";
    return found;
  }
  void expect_all_done() const {
    EXPECT_EQ(results(), static_cast<std::size_t>(count_));
    const std::string summary = text("out/summary.csv");
    EXPECT_EQ(std::ranges::count(summary, '\n'), count_ + 1);
    EXPECT_EQ(summary.find(",failed,"), std::string::npos) << summary.substr(0, 2000);
    EXPECT_TRUE(fs::is_empty(path("out/.claims")));
  }
  // The time at which every result was written: one that is written twice changes it.
  std::map<std::string, fs::file_time_type> times() const {
    std::map<std::string, fs::file_time_type> result;
    if (!fs::exists(path("out/.done"))) return result;
    for (const auto& entry : fs::directory_iterator(path("out/.done")))
      if (entry.path().extension() == ".json") result[entry.path().filename()] = fs::last_write_time(entry);
    return result;
  }

  const int count_ = kTables;
};

TEST_F(WorkQueue, ProcessesShareTheTablesAndAKilledOnesAreTakenOver) {
  std::vector<pid_t> workers;
  for (const int worker : {0, 1, 2})
    workers.push_back(
        start(worker, "OMPI_COMM_WORLD_RANK=" + std::to_string(worker) + " OMPI_COMM_WORLD_SIZE=3", ""));
  // One dies as soon as something is done, wherever it is at that moment.
  wait_until([&] { return !times().empty(); });
  kill(workers[0], SIGKILL);
  EXPECT_EQ(wait_for(workers[0]), 128 + SIGKILL);
  const auto early = times();
  for (const int worker : {1, 2})
    EXPECT_EQ(wait_for(workers[worker]), 0) << text("log" + std::to_string(worker));
  expect_all_done();
  // What was done before the kill was not done again.
  const auto late = times();
  for (const auto& [name, time] : early) EXPECT_EQ(late.at(name), time) << name;
  // One more finds nothing to do.
  const Outcome again = run_program(command(""));
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(contains(again.output, "0 done, " + std::to_string(count_) + " skipped as done before"));
  EXPECT_EQ(times(), late);
}

TEST_F(WorkQueue, ATableThatFailsIsTriedOnceByAllTogether) {
  write_file_atomically(path(table(0)), "A\n1\n2\n");
  // One process begins elsewhere and is held up until the other has tried the table, so that it comes there
  // later and would leave a new record.
  const auto started = [&](int worker) {
    return start(worker, "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=" + std::to_string(worker), "");
  };
  const pid_t second = started(1);
  wait_until([&] { return !times().empty(); });
  kill(second, SIGSTOP);
  const pid_t first = started(0);
  const std::string record = table(0).substr(5, table(0).find('/', 5) - 5) + "_data.json";
  wait_until([&] { return times().contains(record); });
  ASSERT_TRUE(contains(text("out/.done/" + record), "\"failed\""));
  const fs::file_time_type tried = times().at(record);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // clocks of files may be as coarse
  kill(second, SIGCONT);
  EXPECT_EQ(wait_for(first), 1);
  EXPECT_EQ(wait_for(second), 1);
  EXPECT_EQ(times().at(record), tried);
  for (const int worker : {0, 1})
    EXPECT_TRUE(
        contains(text("log" + std::to_string(worker)), "1 of " + std::to_string(count_) + " tables failed"));
  EXPECT_TRUE(contains(text("log1"), "_data: failed in another process: "));
  EXPECT_EQ(results(), static_cast<std::size_t>(count_) - 1);
  // A later run tries it again.
  write_file_atomically(path(table(0)), text(table(1)));
  EXPECT_EQ(run_program(command("-q")).code, 0);
  expect_all_done();
}

TEST_F(WorkQueue, TablesThatAreDoneAreNotReadAgain) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(3100));  // files that just changed are read in any case
  ASSERT_EQ(run_program(command("-q")).code, 0);
  // A record whose hash fits no file shows whether one was taken.
  const std::string record = path("out/.done/" + times().begin()->first);
  nlohmann::json known = nlohmann::json::parse(MappedFile(record).text());
  known["key"] = "of other files";
  write_file_atomically(record, known.dump());
  const std::string all = std::to_string(count_), others = std::to_string(count_ - 1);
  EXPECT_TRUE(contains(run_program(command("")).output, "0 done, " + all + " skipped as done before"));
  const fs::path data = known["data"].get<std::string>();
  fs::last_write_time(data, fs::last_write_time(data) - std::chrono::hours(1));
  EXPECT_TRUE(contains(run_program(command("")).output, "1 done, " + others + " skipped as done before"));
}

TEST_F(WorkQueue, AFixedShareNeedsNoClaims) {
  for (const char* const share : {"0/3", "1/3", "2/3"}) {
    const Outcome outcome = run_program(command(std::string("--share ") + share));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
  }
  EXPECT_FALSE(fs::exists(path("out/.claims")));
  std::size_t lines = 0;
  std::set<std::string> names;
  for (const char* const part : {"0", "1", "2"}) {
    std::istringstream summary(text(std::string("out/summary-") + part + "-of-3.csv"));
    std::string line;
    std::getline(summary, line);
    for (; std::getline(summary, line); ++lines) names.insert(line.substr(0, line.find(',')));
  }
  EXPECT_EQ(lines, static_cast<std::size_t>(count_));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count_));
}

TEST_F(WorkQueue, MistakesAreExplained) {
  Outcome outcome = run_program(command("--share 3/3"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.output, "--share 3/3: K/N is expected"));
  setenv("PMI_RANK", "7", 1);
  setenv("PMI_SIZE", "2", 1);
  outcome = run_program(command(""));
  unsetenv("PMI_RANK");
  unsetenv("PMI_SIZE");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.output, "PMI_RANK=7, but PMI_SIZE=2"));
}

}  // namespace
}  // namespace causcale
