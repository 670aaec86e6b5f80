// The command line itself: what happens to words that are no commands, in another case, or missing.
#include <gtest/gtest.h>

#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;
using test::run_program;

class CommandLine : public test::CommandTest {};

void expect_usage_error(const std::string& arguments, const std::string& message) {
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_NE(outcome.output.find(message), std::string::npos) << arguments << "\n" << outcome.output;
}

TEST_F(CommandLine, AloneShowsTheHelp) {
  const Outcome outcome = run_program("");
  EXPECT_EQ(outcome.code, 2);
  for (const char* word : {"Usage", "evaluate", "simulate", "audit"})
    EXPECT_NE(outcome.output.find(word), std::string::npos) << word << "\n" << outcome.output;
}

TEST_F(CommandLine, ProposesTheCommandThatWasMeant) {
  expect_usage_error(
      "evalute a.csv b.csv",
      "there is no command 'evalute'\n  did you mean 'evaluate'? All commands: causcale --help\n");
  expect_usage_error("Audit x.csv", "did you mean 'audit'?");
  expect_usage_error("auidt x.csv", "did you mean 'audit'?");
  expect_usage_error(
      "simulate synthtic -o x",
      "there is no command 'synthtic'\n  did you mean 'synthetic'? All commands: causcale simulate");
  // Nothing near: no guess, and nothing that the help does not show.
  expect_usage_error("fold", "there is no command 'fold'\n  the commands are listed by: causcale --help");
  expect_usage_error("manpag", "the commands are listed by");
}

TEST_F(CommandLine, ProposesTheOptionThatWasMeant) {
  expect_usage_error("evaluate a.csv b.csv --treshold 0.3",
                     "there is no option '--treshold'\n  did you mean '--threshold'?");
  expect_usage_error("evaluate a.csv b.csv --treshold=0.3", "did you mean '--threshold'?");
  expect_usage_error("evaluate a.csv b.csv --colour",
                     "there is no option '--colour'\n  the options are listed by: causcale evaluate --help");
  // Whatever else is wrong keeps its own message.
  expect_usage_error("evaluate a.csv", "truth");
  expect_usage_error("evaluate a.csv b.csv --nodes none", "--nodes");
}

TEST_F(CommandLine, TakesWordsInAnyCase) {
  EXPECT_EQ(run_program("methods PC").output, run_program("methods pc").output);
  EXPECT_EQ(run_program("methods Direct-LiNGAM").output, run_program("methods direct-lingam").output);
  const Outcome made =
      run_program("simulate synthetic --graph ER --mechanism Linear --nodes 4 --rows 40 -q -o " +
                  path("sim") + " --format NPY");
  EXPECT_EQ(made.code, 0) << made.output;
  const Outcome outcome =
      run_program("compare " + path("sim/data.npy") + " --methods PC,Corr --missing DROP");
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("corr"), std::string::npos);
  expect_usage_error("methods pcc", "there is no method");
  expect_usage_error("simulate synthetic --graph erdos -o x", "erdos");
}

}  // namespace
}  // namespace causcale
