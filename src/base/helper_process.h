// A helper program of the library, started beside it, talked to over a socket, ended with the object.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace causcale {

// The helper is a file of the folder causcale/ beside the library. Its standard input is the socket. It is
// started with posix_spawn, which is safe whatever other threads of the program do. The program may have any
// disposition of SIGPIPE and SIGCHLD and may wait for children of its own.
class HelperProcess {
 public:
  // Throws InputError that names the helper where it cannot be started.
  HelperProcess(const std::string& name, const std::vector<std::string>& arguments);
  ~HelperProcess();  // kills it if it still runs
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  // False: the helper no longer listens.
  bool send(std::span<const std::byte> bytes);

  enum class Received { kAll, kEnd, kTimeOut };
  // Fills `bytes`. kEnd: the helper closed the connection first; kTimeOut: nothing came for so many seconds.
  Received receive(std::span<std::byte> bytes, int seconds);

  // "ended with signal 11 (Segmentation fault)", after a kEnd.
  std::string end_in_words();

 private:
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace causcale
