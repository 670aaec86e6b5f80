#include "serve/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>

#include "causcale/error.h"

namespace causcale::serve {
namespace {

int open_listener(const std::string& host, int port) {
  const std::string address = host == "localhost" ? "127.0.0.1" : host;
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int failure = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found))
    throw UsageError(fmt::format("--host {}: not an address of this computer in numbers: {}", host,
                                 gai_strerror(failure)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> keep(found, freeaddrinfo);
  const int listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener, found->ai_addr, found->ai_addrlen) != 0 || listen(listener, 128) != 0) {
    const std::string reason = std::strerror(errno);
    if (listener >= 0) close(listener);
    throw UsageError(fmt::format("cannot listen on {} port {}: {}", host, port, reason));
  }
  return listener;
}

int port_of(int listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// Counts bytes against a common limit as long as it lives.
class Share {
 public:
  Share(std::atomic<std::size_t>& used, std::size_t bytes, std::size_t most) : used_(used), bytes_(bytes) {
    if (used_.fetch_add(bytes_) + bytes_ > most) {
      used_ -= bytes_;
      throw HttpError(429, "too many large requests at the same time: try again later");
    }
  }
  ~Share() { used_ -= bytes_; }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

 private:
  std::atomic<std::size_t>& used_;
  std::size_t bytes_;
};

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Server::Server(const ServerOptions& options, ServerCalls calls)
    : options_(options), calls_(std::move(calls)) {
  listener_ = open_listener(options.host, options.port);
  port_ = port_of(listener_);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    close(listener_);
    throw Error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  wake_read_ = ends[0];
  wake_write_ = ends[1];
}

Server::~Server() {
  stop();
  {
    std::unique_lock guard(lock_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    changed_.wait(guard, [&] { return sockets_.empty(); });
  }
  close(listener_);
  close(wake_read_);
  close(wake_write_);
}

void Server::stop() {
  stopping_ = true;
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, "x", 1);
}

void Server::run() {
  while (!stopping_) {
    pollfd wanted[2] = {{listener_, POLLIN, 0}, {wake_read_, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0 && errno != EINTR)
      throw Error(fmt::format("the server cannot wait for connections: {}", std::strerror(errno)));
    if (!stopping_ && wanted[0].revents) take_connection();
  }
}

void Server::take_connection() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    // No descriptors or memory left: connections that end give some back.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) usleep(50'000);
    return;
  }
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  bool accepted = false;
  {
    const std::lock_guard guard(lock_);
    if (sockets_.size() < options_.most_connections) accepted = sockets_.insert(socket).second;
  }
  if (accepted) try {
      std::thread([this, socket] { serve_connection(socket); }).detach();
      return;
    } catch (const std::system_error&) {
      const std::lock_guard guard(lock_);
      sockets_.erase(socket);
    }
  // Short enough for the socket's buffer: this thread waits for nobody.
  const HttpResponse busy = calls_.refuse(HttpError(503, "too many connections: try again later"));
  const std::string bytes = format_response_head(busy, false) + std::string(busy.content());
  [[maybe_unused]] const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close(socket);
}

void Server::serve_connection(int socket) {
  // The connection closes the socket under the lock: its number must leave the set before another takes it.
  auto connection = std::make_unique<Connection>(socket, options_.limits);
  try {
    while (!stopping_ && serve_request(*connection)) continue;
  } catch (const std::exception&) {
    // Out of memory while answering: this connection ends, the others go on.
  }
  const std::lock_guard guard(lock_);
  connection.reset();
  sockets_.erase(socket);
  changed_.notify_all();
}

// False: the connection ends.
bool Server::serve_request(Connection& connection) {
  bool with_content = true;
  try {
    std::optional<HttpRequest> request = connection.read_head();
    if (!request) return false;
    with_content = request->method != "HEAD";
    calls_.check_head(*request);
    const Share share(body_bytes_, std::min(request->content_length, options_.limits.body_bytes),
                      options_.most_body_bytes);
    connection.read_body(*request);
    const bool keep_alive = request->keep_alive && !stopping_;
    HttpResponse response;
    try {
      response = calls_.answer(*request);
    } catch (const HttpError& error) {  // the body has been read: the connection can go on
      response = calls_.refuse(error);
    }
    return connection.write(response, keep_alive, with_content) && keep_alive;
  } catch (const HttpError& error) {
    connection.write(calls_.refuse(error), false, with_content);
  } catch (const std::exception&) {
    connection.write(calls_.refuse(HttpError(500, "internal error")), false, with_content);
  }
  connection.end_gently();
  return false;
}

}  // namespace causcale::serve
