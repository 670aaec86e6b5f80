#include "base/file_claim.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "causcale/error.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

TEST(FileClaim, IsHeldByOneAtATime) {
  const test::TempFolder folder;
  const auto path = folder / "claims/deeper/table";
  {
    const auto claim = FileClaim::take(path);
    ASSERT_TRUE(claim);
    EXPECT_FALSE(FileClaim::take(path));
    EXPECT_TRUE(FileClaim::take(folder / "claims/deeper/other"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));  // nothing is left behind
  EXPECT_TRUE(FileClaim::take(path));
}

TEST(FileClaim, AFileThatAKilledProcessLeftIsFree) {
  const test::TempFolder folder;
  const auto path = folder / "table";
  std::ofstream(path) << "left over";
  EXPECT_TRUE(FileClaim::take(path));
}

TEST(FileClaim, EndsWithItsProcess) {
  const test::TempFolder folder;
  const auto path = folder / "table";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto claim = FileClaim::take(path);
    const char answer = claim ? 'y' : 'n';
    if (write(ready[1], &answer, 1) != 1) _exit(1);
    while (true) pause();
  }
  char answer = 0;
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(FileClaim::take(path));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(FileClaim::take(path));
  close(ready[0]);
  close(ready[1]);
}

TEST(FileClaim, SaysWhichFileCannotBeMade) {
  const test::TempFolder folder;
  std::ofstream(folder / "file") << "no folder";
  try {
    FileClaim::take(folder / "file/claim");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("file/claim"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace causcale
