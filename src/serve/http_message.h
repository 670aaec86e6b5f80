// HTTP/1.1 messages: what a request's head says, and how an answer is written. No input and output here.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causcale::serve {

// A request that gets an error for an answer; the message is for its sender.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

struct HttpRequest {
  std::string method;                                        // "GET"
  std::string path;                                          // decoded, without the query: "/api/v1/jobs"
  std::vector<std::pair<std::string, std::string>> query;    // decoded
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::size_t content_length = 0;
  bool keep_alive = true;
  bool expects_continue = false;
  std::string body;

  const std::string* header(std::string_view name) const;  // null where there is none
  const std::string* query_value(std::string_view name) const;
};

// The head of a request, up to and including the empty line. Throws HttpError: 400 for what is no HTTP, 411,
// 501 and 505 for what is not spoken here. Repeated and contradicting lengths, folded lines, control
// characters and encoded slashes are refused: they are how requests are smuggled.
HttpRequest parse_request_head(std::string_view head);

// Where the head ends in what has arrived: the number of its bytes, or nothing yet.
std::optional<std::size_t> find_head_end(std::string_view arrived);

struct HttpResponse {
  int status = 200;
  std::string media_type = "application/json";
  std::string body;
  std::string_view shared_body = {};  // instead of `body`: bytes that outlive the answer
  std::vector<std::pair<std::string, std::string>> headers;

  std::string_view content() const { return shared_body.empty() ? std::string_view(body) : shared_body; }
};

const char* status_words(int status);
// Head only; the content follows it.
std::string format_response_head(const HttpResponse& response, bool keep_alive);

}  // namespace causcale::serve
