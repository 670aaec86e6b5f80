// SIGINT and SIGTERM as a question that long work asks now and then, instead of an abrupt end.
#pragma once

#include <csignal>

namespace causcale {

// While one lives, the first signal is remembered and a second one ends the program as usual.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool requested() const;

 private:
  struct sigaction interrupt_before_, terminate_before_;
};

}  // namespace causcale
