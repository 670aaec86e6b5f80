// What the tests of commands start from: a folder of their own, and a small simulated table in it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/run_program.h"
#include "support/temp_folder.h"

namespace causcale::test {

class CommandTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  TempFolder folder_;
};

// Six variables with interventions, in "sim".
class SimulatedTableTest : public CommandTest {
 protected:
  explicit SimulatedTableTest(int rows) : rows_(rows) {}
  void SetUp() override {
    const Outcome outcome =
        run_program("simulate synthetic --nodes 6 --edges-per-node 1 --seed 4 -q --rows " +
                    std::to_string(rows_) + " -o " + path("sim"));
    ASSERT_EQ(outcome.code, 0) << outcome.output;
  }
  std::string input() const {
    return path("sim/data.csv") + " --interventions " + path("sim/interventions.csv");
  }

 private:
  int rows_;
};

}  // namespace causcale::test
