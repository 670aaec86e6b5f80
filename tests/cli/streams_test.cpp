// Standard streams that are full or closed: what was asked for is either done or said not to be.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/file.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::run_program;

class Streams : public test::CommandTest {
 protected:
  void SetUp() override {
    std::ofstream table(path("t.csv"));
    table << "a,b,c\n";
    for (int r = 0; r < 60; ++r) table << r % 7 << ".5," << (3 * r) % 11 << ".25," << (r * r) % 13 << ".75\n";
    table.close();
    std::ofstream(path("g.dagitty")) << "dag { a -> b; b -> c }";
  }
  // The redirections stand at the end; a comment keeps the helper from adding its own.
  int code_of(const std::string& arguments, const std::string& redirections) const {
    return run_program(arguments + " " + redirections + " #").code;
  }
  std::string text(const std::string& name) const { return std::string(MappedFile(path(name)).text()); }
};

TEST_F(Streams, AFullStandardOutputIsAnError) {
  const std::string effects = "effects " + path("g.dagitty") + " --of a --on c --data " + path("t.csv");
  for (const std::string& command :
       {effects, effects + " --json", "check " + path("g.dagitty") + " --data " + path("t.csv"),
        "convert " + path("g.dagitty") + " - --to gml", "audit " + path("t.csv"), std::string("methods"),
        std::string("manpage"), std::string("--version"), std::string("--help"),
        "discover " + path("t.csv") + " --method pc", "discover " + path("t.csv") + " --method pc --json"}) {
    EXPECT_EQ(code_of(command, ">/dev/full 2>" + path("said")), 1) << command;
    EXPECT_NE(text("said").find("causcale: standard output: the result could not be written"),
              std::string::npos)
        << command << ": " << text("said");
  }
}

// Remarks are lost then, and nothing else.
TEST_F(Streams, AStandardErrorThatIsFullOrClosedEndsNothing) {
  const std::string discover = "discover " + path("t.csv") + " --method pc -o ";
  ASSERT_EQ(code_of(discover + path("whole.csv"), ">/dev/null 2>&1"), 0);
  for (const char* stream : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(code_of(discover + path("e.csv"), std::string(">/dev/null ") + stream), 0) << stream;
    EXPECT_EQ(text("e.csv"), text("whole.csv")) << stream;
    EXPECT_EQ(code_of("discover none.csv", std::string(">/dev/null ") + stream), 1) << stream;
    EXPECT_EQ(code_of("dicover", std::string(">/dev/null ") + stream), 2) << stream;
  }
}

// A file that is written must not become a standard stream.
TEST_F(Streams, ClosedStreamsDoNotEndInFiles) {
  const std::string discover = "discover " + path("t.csv") + " --method pc -o ";
  ASSERT_EQ(code_of(discover + path("whole.csv"), ">/dev/null 2>&1"), 0);
  EXPECT_EQ(code_of(discover + path("e.csv") + " -q", "<&- >&- 2>&-"), 0);
  EXPECT_EQ(text("e.csv"), text("whole.csv"));
  EXPECT_EQ(code_of("audit " + path("t.csv"), ">&- 2>" + path("said")), 1);
  EXPECT_NE(text("said").find("Bad file descriptor"), std::string::npos) << text("said");
  EXPECT_EQ(code_of("audit -", "<&- >/dev/null 2>" + path("said")), 1);
  EXPECT_NE(text("said").find("standard input: cannot read"), std::string::npos) << text("said");
}

}  // namespace
}  // namespace causcale
