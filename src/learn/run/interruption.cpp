#include "learn/run/interruption.h"

namespace causcale {

namespace {

// A signal handler reaches nothing but static storage.
volatile std::sig_atomic_t signal_seen = 0;

void remember(int) {
  signal_seen = 1;
}

}  // namespace

Interruption::Interruption() {
  signal_seen = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interruption::requested() const {
  return signal_seen != 0;
}

}  // namespace causcale
