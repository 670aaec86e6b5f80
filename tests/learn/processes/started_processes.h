// Processes of the program itself, as a launcher would start them; the test only looks on.
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "learn/processes/process_group.h"

namespace causcale::test {

using Variables = std::map<std::string, std::string>;

// `rank` of `size` as torchrun would start it.
inline Variables variables_of(int rank, int size, int port) {
  return {{"RANK", std::to_string(rank)},       {"WORLD_SIZE", std::to_string(size)},
          {"LOCAL_RANK", std::to_string(rank)}, {"LOCAL_WORLD_SIZE", std::to_string(size)},
          {"MASTER_ADDR", "127.0.0.1"},         {"MASTER_PORT", std::to_string(port)}};
}

class ProcessesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!ProcessGroup::available(at::kCPU)) GTEST_SKIP() << "this build has no Gloo";
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("causcale_processes_") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    for (const pid_t child : children_) {  // those that a failed test has left behind
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  pid_t start(const Variables& variables, const std::vector<std::string>& arguments, const std::string& log) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
      ::setenv("OMP_NUM_THREADS", "1", 1);
      if (!std::freopen((folder_ / log).c_str(), "w", stdout)) ::_exit(126);
      ::dup2(1, 2);
      std::vector<char*> raw{const_cast<char*>(CAUSCALE_BINARY)};
      for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
      raw.push_back(nullptr);
      ::execv(CAUSCALE_BINARY, raw.data());
      ::_exit(127);
    }
    children_.push_back(child);
    return child;
  }
  int exit_code(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    std::erase(children_, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string text(const std::string& file) const {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
  std::vector<pid_t> children_;
};

}  // namespace causcale::test
