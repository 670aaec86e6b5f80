#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/standard_error.h"

namespace causcale {
namespace {

constexpr int kBarWidth = 30;
constexpr double kTerminalInterval = 0.1;  // seconds between redraws
constexpr double kPlainInterval = 10.0;    // seconds between lines in a log

}  // namespace

Progress::Progress(std::string label, std::size_t total, bool quiet)
    : label_(std::move(label)),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      drawn_(start_) {}

Progress::~Progress() {
  if (!quiet_ && terminal_) draw(true);
}

void Progress::advance(std::size_t steps) {
  const std::lock_guard guard(lock_);
  done_ += steps;
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const double since = std::chrono::duration<double>(now - drawn_).count();
  if (since < (terminal_ ? kTerminalInterval : kPlainInterval)) return;
  drawn_ = now;
  draw(false);
}

void Progress::draw(bool last) {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double share = total_ ? static_cast<double>(done_) / static_cast<double>(total_) : 1.0;
  const double left = share > 0 ? elapsed / share - elapsed : 0.0;
  if (terminal_) {
    const int filled = static_cast<int>(share * kBarWidth);
    print_error("\r{} [{:#>{}}{:.>{}}] {}/{} {:.0f}s{}", label_, "", filled, "", kBarWidth - filled, done_,
                total_, last ? elapsed : left, last ? "   \n" : " left");
  } else {
    print_error("{}: {}/{}, {:.0f}s left\n", label_, done_, total_, left);
  }
  std::fflush(stderr);
}

}  // namespace causcale
