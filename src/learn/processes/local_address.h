// Under which address other machines reach this one.
#pragma once

#include <string>

namespace causcale {

struct Route {
  std::string from, to;  // numeric addresses; empty where the host is not known or not reachable
  bool leaves_machine = false;
};

// The way to a host, by the system's routes; nothing is sent. A machine's own name often stands for an
// address (127.0.1.1) that no other machine can reach.
Route route_to(const std::string& host, int port);

}  // namespace causcale
