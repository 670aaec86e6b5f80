// The command line itself: what happens to words that are not commands, in another case, or missing.
#include <gtest/gtest.h>

#include "base/file.h"
#include "discover/option_list.h"
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
  for (const char* word :
       {"Usage", "evaluate", "simulate", "audit", "To begin with", "causcale discover data.csv"})
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
  // A table alone: most want its graph.
  std::ofstream(path("table.csv")) << "a,b\n1,2\n";
  expect_usage_error(path("table.csv"), "did you mean 'causcale discover " + path("table.csv") + "'?");
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

// One is not several, and what to do stands on a line of its own.
TEST_F(CommandLine, CountsInWordsThatFit) {
  write_file_atomically(path("t.csv"), "a,b\n1,2\n2,1\n3,5\n");
  write_file_atomically(path("one.csv"), "z\n\n\n");
  write_file_atomically(path("two.csv"), "z\ny\n\n");
  const auto audited = [&](const std::string& targets) {
    return run_program("audit " + path("t.csv") + " --interventions " + path(targets)).output;
  };
  EXPECT_NE(audited("one.csv").find("1 target is no variable of the table: \"z\""), std::string::npos)
      << audited("one.csv");
  EXPECT_NE(audited("two.csv").find("2 targets are no variables of the table"), std::string::npos);
  const std::string compared = run_program("compare " + path("t.csv") + " --methods corr").output;
  const std::size_t warning = compared.find("warning: ");  // few rows
  ASSERT_NE(warning, std::string::npos) << compared;
  EXPECT_EQ(compared.substr(compared.find('\n', warning), 3), "\n  ") << compared;
}

// The help, and with it completions and the manual page, comes from the list of options.
TEST_F(CommandLine, DiscoverHasEveryOptionOfTheList) {
  const std::string help = run_program("discover --help").output;
  const std::string manual = run_program("manpage").output;
  for (const DiscoverOption& option : discover_option_list()) {
    EXPECT_NE(help.find("\n  " + command_line_name(option)), std::string::npos) << option.name;
    if (option.group == OptionGroup::kCommon) continue;
    const std::string beginning = option.help.substr(0, 20);
    EXPECT_NE(help.find(beginning), std::string::npos) << option.name;
    EXPECT_NE(manual.find(beginning), std::string::npos) << option.name;
  }
}

}  // namespace
}  // namespace causcale
