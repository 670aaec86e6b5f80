#include "serve/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace causcale::serve {
namespace {

using Clock = std::chrono::steady_clock;

// Whether the socket is ready before the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{socket, events, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(std::min<long>(left, 3'600'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

}  // namespace

Connection::~Connection() {
  close(socket_);
}

Connection::Read Connection::read_some(Clock::time_point deadline) {
  for (;;) {
    if (!wait_for(socket_, POLLIN, deadline)) return Read::kTimeOut;
    char buffer[64 << 10];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
      arrived_.append(buffer, static_cast<std::size_t>(count));
      return Read::kSome;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)) return Read::kEnd;
  }
}

std::optional<HttpRequest> Connection::read_head() {
  if (arrived_.empty() && read_some(Clock::now() + limits_.idle_time) != Read::kSome) return std::nullopt;
  const auto deadline = Clock::now() + limits_.head_time;
  for (;;) {
    const auto end = find_head_end(std::string_view(arrived_).substr(0, limits_.head_bytes));
    if (end) {
      HttpRequest request = parse_request_head(std::string_view(arrived_).substr(0, *end));
      arrived_.erase(0, *end);
      return request;
    }
    if (arrived_.size() >= limits_.head_bytes)
      throw HttpError(431,
                      fmt::format("the head of the request is longer than {} bytes", limits_.head_bytes));
    switch (read_some(deadline)) {
      case Read::kSome:
        break;
      case Read::kEnd:
        return std::nullopt;
      case Read::kTimeOut:
        throw HttpError(408, "the request did not arrive in time");
    }
  }
}

void Connection::read_body(HttpRequest& request) {
  if (request.content_length > limits_.body_bytes)
    throw HttpError(413, fmt::format("the body has {} bytes, and {} are accepted", request.content_length,
                                     limits_.body_bytes));
  const auto deadline = Clock::now() + limits_.body_time;
  if (request.expects_continue && arrived_.size() < request.content_length)
    write_all("HTTP/1.1 100 Continue\r\n\r\n", deadline);
  while (arrived_.size() < request.content_length) switch (read_some(deadline)) {
      case Read::kSome:
        break;
      case Read::kEnd:
        throw HttpError(400, "the body is shorter than its Content-Length");
      case Read::kTimeOut:
        throw HttpError(408, "the body did not arrive in time");
    }
  request.body = arrived_.substr(0, request.content_length);
  arrived_.erase(0, request.content_length);
  arrived_.shrink_to_fit();
}

bool Connection::write_all(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    if (!wait_for(socket_, POLLOUT, deadline)) return false;
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) return false;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Connection::write(const HttpResponse& response, bool keep_alive, bool with_content) {
  const auto deadline = Clock::now() + limits_.write_time;
  std::string head = format_response_head(response, keep_alive);
  const std::string_view content = with_content ? response.content() : std::string_view();
  if (content.size() < (64 << 10)) return write_all(head.append(content), deadline);
  return write_all(head, deadline) && write_all(content, deadline);
}

void Connection::end_gently() {
  shutdown(socket_, SHUT_WR);
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  for (std::size_t taken = 0; taken < limits_.body_bytes; taken += arrived_.size()) {
    arrived_.clear();
    if (read_some(deadline) != Read::kSome) return;
  }
}

}  // namespace causcale::serve
