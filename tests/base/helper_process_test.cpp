#include "base/helper_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstring>
#include <string>

#include "support/temp_folder.h"

namespace causcale {
namespace {

using Received = HelperProcess::Received;
using test::contains;
using test::error_of;

std::array<std::byte, 5> buffer() {
  return {};
}

TEST(HelperProcess, SendsAndReceives) {
  HelperProcess echo("/bin/sh", {"-c", "exec cat >&0"});
  const std::string text = "hello";
  ASSERT_TRUE(echo.send(std::as_bytes(std::span(text))));
  auto bytes = buffer();
  ASSERT_EQ(echo.receive(bytes, 30), Received::kAll);
  EXPECT_EQ(std::memcmp(bytes.data(), text.data(), bytes.size()), 0);
}

TEST(HelperProcess, SaysHowItEnded) {
  auto bytes = buffer();
  HelperProcess code("/bin/sh", {"-c", "exit 7"});
  EXPECT_EQ(code.receive(bytes, 30), Received::kEnd);
  EXPECT_EQ(code.end_in_words(), "ended with code 7");
  EXPECT_FALSE(code.send(bytes) && code.send(bytes));  // and no SIGPIPE ends this program
  HelperProcess crash("/bin/sh", {"-c", "kill -SEGV $$"});
  EXPECT_EQ(crash.receive(bytes, 30), Received::kEnd);
  EXPECT_TRUE(contains(crash.end_in_words(), "signal 11"));
}

TEST(HelperProcess, IsNotWaitedForForEverAndIsEnded) {
  pid_t process = 0;
  {
    HelperProcess silent("/bin/sh", {"-c", "echo $$ >&0; exec sleep 1000"});
    std::string number;
    for (char c = 0; c != '\n';) {
      ASSERT_EQ(silent.receive(std::as_writable_bytes(std::span(&c, 1)), 30), Received::kAll);
      number += c;
    }
    process = std::stoi(number);
    auto bytes = buffer();
    EXPECT_EQ(silent.receive(bytes, 0), Received::kTimeOut);
    EXPECT_EQ(kill(process, 0), 0);
  }
  EXPECT_NE(kill(process, 0), 0);
}

TEST(HelperProcess, ThatDoesNotExistIsNamed) {
  EXPECT_TRUE(contains(error_of([] { HelperProcess none("causcale-no-such-helper", {}); }),
                       "causcale/causcale-no-such-helper cannot be started"));
}

}  // namespace
}  // namespace causcale
