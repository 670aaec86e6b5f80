// One connection: reads whole requests and writes whole answers, each before a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http_message.h"

namespace causcale::serve {

struct ConnectionLimits {
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 64 << 20;
  std::chrono::milliseconds idle_time{15'000};   // until the first byte of a request
  std::chrono::milliseconds head_time{10'000};   // from there to the end of the head
  std::chrono::milliseconds body_time{60'000};   // of the whole body
  std::chrono::milliseconds write_time{60'000};  // of a whole answer
};

class Connection {
 public:
  // Takes the socket over.
  Connection(int socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The next request without its body; nothing where the client has gone or stays silent. Throws HttpError.
  std::optional<HttpRequest> read_head();
  // Its body. Throws HttpError: 413, 408; 400 where the client goes away in the middle.
  void read_body(HttpRequest& request);
  // False: the client did not take it.
  bool write(const HttpResponse& response, bool keep_alive, bool with_content);
  // Says that nothing more comes and waits a moment for what the client still sends, which would otherwise
  // destroy the answer on its way.
  void end_gently();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Read { kSome, kEnd, kTimeOut };
  Read read_some(Clock::time_point deadline);
  bool write_all(std::string_view bytes, Clock::time_point deadline);

  int socket_;
  const ConnectionLimits& limits_;
  std::string arrived_;  // and not used yet
};

}  // namespace causcale::serve
