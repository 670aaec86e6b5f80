// causcale serve as a process: prints its address, answers, ends on a signal.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "causcale/version.h"
#include "support/run_program.h"
#include "support/temp_folder.h"

namespace causcale::test {
namespace {

class ServeProcess {
 public:
  ServeProcess() {
    int ends[2];
    if (pipe(ends) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execl(CAUSCALE_BINARY, "causcale", "serve", "--port", "0", "--no-page", "-q", nullptr);
      _exit(127);
    }
    close(ends[1]);
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) address_ += c;
    close(ends[0]);
  }
  ~ServeProcess() {
    if (process_ > 0) end(SIGKILL);
  }
  int port() const { return std::atoi(address_.c_str() + address_.rfind(':') + 1); }
  const std::string& address() const { return address_; }
  int end(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  std::string address_;
};

std::string ask(int port, const std::string& request) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(connection, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    char buffer[4096];
    for (ssize_t count; (count = recv(connection, buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(count));
  }
  close(connection);
  return answer;
}

TEST(ServeCommand, AnswersUntilItIsToldToEnd) {
  ServeProcess serve;
  ASSERT_TRUE(serve.address().starts_with("http://127.0.0.1:")) << serve.address();
  const std::string answer =
      ask(serve.port(), "GET /api/v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(contains(answer, "200 OK"));
  EXPECT_TRUE(contains(answer, CAUSCALE_VERSION));
  EXPECT_TRUE(contains(ask(serve.port(), "nonsense\r\n\r\n"), "400 Bad Request"));
  const int status = serve.end(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ServeCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(run_program("serve --port 70000").code, 2);
  const Outcome host = run_program("serve --port 0 --host nowhere.example --no-page");
  EXPECT_EQ(host.code, 2);
  EXPECT_TRUE(contains(host.output, "--host nowhere.example"));
  const Outcome page = run_program("serve --port 0 --page /nonexistent");
  EXPECT_EQ(page.code, 1);
  EXPECT_TRUE(contains(page.output, "no page is there"));
  EXPECT_EQ(run_program("serve --port 0 --max-body nothing").code, 2);
}

}  // namespace
}  // namespace causcale::test
