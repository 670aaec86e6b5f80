// A server on a free port of this computer, and a client that says exactly what a test wants to be said.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "serve/api.h"
#include "serve/server.h"

namespace causcale::serve::test {

struct Answer {
  int status = 0;  // 0: the connection ended without one
  std::string head, body;
};

class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes);
  void stop_sending();
  Answer receive(bool with_content = true);
  // One request and its answer.
  Answer ask(const std::string& method, const std::string& path, const std::string& body = "",
             const std::string& headers = "");

 private:
  int socket_;
  std::string arrived_;
};

class RunningServer {
 public:
  RunningServer(const ServerOptions& options, const ApiOptions& api, JobQueue::Work work,
                StaticFiles page = {});
  ~RunningServer();
  int port() const { return server_->port(); }
  Api& api() { return api_; }

 private:
  Api api_;
  std::unique_ptr<Server> server_;
  std::thread loop_;
};

// Answers with the name of the table.
JobAnswer echo(const TableRequest& request, const JobProgress& progress);

constexpr const char* kJson = "Content-Type: application/json\r\n";

}  // namespace causcale::serve::test
