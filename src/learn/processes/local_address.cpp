#include "learn/processes/local_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace causcale {
namespace {

std::string numeric(const sockaddr_storage& address, socklen_t length) {
  char text[NI_MAXHOST] = {};
  const int failed = getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, text, sizeof text,
                                 nullptr, 0, NI_NUMERICHOST);
  return failed ? "" : text;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

Route route_over(const addrinfo& place) {
  const int end = socket(place.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (end < 0) return {};
  Route route;
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (connect(end, place.ai_addr, place.ai_addrlen) == 0 &&
      getsockname(end, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    route.from = numeric(address, length);
    length = sizeof address;
    if (getpeername(end, reinterpret_cast<sockaddr*>(&address), &length) == 0)
      route.to = numeric(address, length);
    route.leaves_machine = route.from != route.to && !is_loopback(route.from);
  }
  close(end);
  return route;
}

}  // namespace

Route route_to(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> places(found, freeaddrinfo);
  for (const addrinfo* place = found; place; place = place->ai_next)
    if (Route route = route_over(*place); !route.from.empty()) return route;
  return {};
}

}  // namespace causcale
