// The same bytes from the same command, whatever surrounds it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/cpu/kernels.h"
#include "support/command_test.h"

namespace causcale {
namespace {

using test::Outcome;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DeterminismOfCommands : public test::SimulatedTableTest {
 protected:
  DeterminismOfCommands() : SimulatedTableTest(80) {}

  // The edges and the matrix, as files hold them, of a run behind `prefix`, such as "cd / && LANG=C".
  std::string answer(const std::string& prefix, const std::string& options) {
    const std::string name = path("run" + std::to_string(runs_++));
    const std::string command = prefix + " '" CAUSCALE_BINARY "' discover " + input() + " -q -o " + name +
                                ".csv --matrix " + name + ".npy " + options + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    const std::string found = bytes_of(name + ".csv") + bytes_of(name + ".npy");
    EXPECT_GT(found.size(), 150u);
    return found;
  }

 private:
  int runs_ = 0;
};

TEST_F(DeterminismOfCommands, SurroundingsDoNotMatter) {
  const std::string plain = answer("", "--threads 1");
  EXPECT_EQ(plain, answer("", "--threads 2"));
  EXPECT_EQ(plain, answer("cd / &&", "--threads 2"));
  EXPECT_EQ(plain, answer("LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Asia/Kolkata",
                          "--threads 1"));
  EXPECT_EQ(plain, answer("env -i", "--threads 1"));
  EXPECT_NE(plain, answer("", "--threads 1 --max-samples 40 --ensemble 1"));  // so the comparison can fail
}

// Of all that this processor has, in both precisions; base is one of them anywhere.
TEST_F(DeterminismOfCommands, OneInstructionSetGivesOneAnswer) {
  ASSERT_FALSE(core::available_isas().empty());
  for (const core::Isa isa : core::available_isas())
    for (const std::string precision : {"fp32", "bf16"}) {
      const std::string prefix = std::string("CAUSCALE_ISA=") + core::isa_name(isa);
      const std::string options = "--precision " + precision + " --threads ";
      EXPECT_EQ(answer(prefix, options + "1"), answer("cd / && " + prefix, options + "2"))
          << prefix << " " << precision;
    }
}

TEST_F(DeterminismOfCommands, MethodsToo) {
  for (const std::string method : {"pc", "fci", "ges", "boss", "direct-lingam", "notears"}) {
    const std::string options = "--method " + method + " --threads ";
    EXPECT_EQ(answer("", options + "1"), answer("cd / && LC_ALL=de_DE.UTF-8", options + "2")) << method;
  }
}

}  // namespace
}  // namespace causcale
