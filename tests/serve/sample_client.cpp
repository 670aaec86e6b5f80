#include "serve/sample_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace causcale::serve::test {

Client::Client(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const timeval patience{600, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("no connection");
}

Client::~Client() {
  close(socket_);
}

void Client::send(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return;  // the server may answer before it has read all
    done += static_cast<std::size_t>(count);
  }
}

void Client::stop_sending() {
  shutdown(socket_, SHUT_WR);
}

Answer Client::receive(bool with_content) {
  const auto more = [&] {
    char buffer[1 << 16];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count > 0) arrived_.append(buffer, static_cast<std::size_t>(count));
    return count > 0;
  };
  Answer answer;
  std::size_t end;
  while ((end = arrived_.find("\r\n\r\n")) == arrived_.npos)
    if (!more()) return answer;
  answer.head = arrived_.substr(0, end + 4);
  arrived_.erase(0, end + 4);
  answer.status = std::atoi(answer.head.c_str() + 9);
  const auto length = answer.head.find("Content-Length: ");
  const std::size_t bytes = length == answer.head.npos || !with_content
                                ? 0
                                : std::strtoul(answer.head.c_str() + length + 16, nullptr, 10);
  while (arrived_.size() < bytes)
    if (!more()) break;
  answer.body = arrived_.substr(0, bytes);
  arrived_.erase(0, bytes);
  return answer;
}

Answer Client::ask(const std::string& method, const std::string& path, const std::string& body,
                   const std::string& headers) {
  std::string head = method + " " + path + " HTTP/1.1\r\n";
  if (headers.find("Host:") == headers.npos) head += "Host: localhost\r\n";
  if (!body.empty()) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(head + headers + "\r\n" + body);
  return receive(method != "HEAD");
}

RunningServer::RunningServer(const ServerOptions& options, const ApiOptions& api, JobQueue::Work work,
                             StaticFiles page)
    : api_(api, std::move(page), std::move(work)),
      server_(std::make_unique<Server>(options, api_.calls())),
      loop_([this] { server_->run(); }) {}

RunningServer::~RunningServer() {
  server_->stop();
  loop_.join();
}

JobAnswer echo(const TableRequest& request, const JobProgress& progress) {
  progress("echo", 0.5);
  return "\"" + request.name + "\"";
}

}  // namespace causcale::serve::test
