// A small HTTP/1.1 server on a socket: one thread a connection, of which there is a bounded number.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "serve/connection.h"

namespace causcale::serve {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address in numbers, or localhost
  int port = 0;                    // 0: any that is free
  std::size_t most_connections = 128;
  // Bodies that arrive or are worked on at the same time, together.
  std::size_t most_body_bytes = std::size_t{256} << 20;
  ConnectionLimits limits;
};

struct ServerCalls {
  // Called before the body of a request is read; throws HttpError to refuse it.
  std::function<void(const HttpRequest&)> check_head;
  // Throws HttpError.
  std::function<HttpResponse(HttpRequest&)> answer;
  // Called for every refusal, to be dressed like other answers.
  std::function<HttpResponse(const HttpError&)> refuse;
};

class Server {
 public:
  // Listens from here on. Throws UsageError naming host and port.
  Server(const ServerOptions& options, ServerCalls calls);
  ~Server();  // stops it and waits for the connections to end
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  // Takes connections until stop() is called from another thread.
  void run();
  void stop();

 private:
  void take_connection();
  void serve_connection(int socket);
  bool serve_request(Connection& connection);

  const ServerOptions options_;
  const ServerCalls calls_;
  int listener_ = -1, wake_read_ = -1, wake_write_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> body_bytes_{0};
  std::mutex lock_;
  std::condition_variable changed_;
  std::set<int> sockets_;  // of connections that are served
};

bool is_loopback(const std::string& host);

}  // namespace causcale::serve
