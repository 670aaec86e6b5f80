#include "base/helper_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/own_file.h"
#include "causcale/error.h"

namespace causcale {
namespace {

namespace fs = std::filesystem;

// In the folder causcale/ beside the shared library that this code was loaded from; or, where it was linked
// into a program or a Python module, of lib/ beside that or beside its folder.
fs::path helper_file(const std::string& name) {
  std::error_code error;
  const fs::path folder = own_file().parent_path(), usual = folder / "causcale" / name;
  if (fs::exists(usual, error)) return usual;
  for (const fs::path& other : {folder / "lib", folder.parent_path() / "lib"})
    if (fs::exists(other / "causcale" / name, error)) return other / "causcale" / name;
  return usual;
}

}  // namespace

HelperProcess::HelperProcess(const std::string& name, const std::vector<std::string>& arguments) {
  const std::string file = helper_file(name).string();
  const auto fail = [&](int code) {
    throw InputError(fmt::format("the helper program {} cannot be started: {}", file, std::strerror(code)));
  };
  std::vector<std::string> texts = arguments;
  texts.insert(texts.begin(), name);
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    if (text.find('\0') != std::string::npos)
      throw InputError("a name with a zero byte cannot be handed to the helper program");
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigfillset(&usual);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failure = posix_spawn(&process_, file.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    fail(failure);
  }
  socket_ = ends[0];
}

HelperProcess::~HelperProcess() {
  close(socket_);
  // Where the program has waited for it already, its number may belong to somebody else by now.
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

bool HelperProcess::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

HelperProcess::Received HelperProcess::receive(std::span<std::byte> bytes, int seconds) {
  while (!bytes.empty()) {
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, seconds * 1000);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Received::kTimeOut;
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Received::kEnd;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return Received::kAll;
}

std::string HelperProcess::end_in_words() {
  int status = 0;
  pid_t waited;
  while ((waited = waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (waited > 0 && WIFSIGNALED(status))
    return fmt::format("ended with signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (waited > 0 && WIFEXITED(status)) return fmt::format("ended with code {}", WEXITSTATUS(status));
  return "ended";
}

}  // namespace causcale
