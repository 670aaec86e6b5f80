// Methods that run for a statistic ask here whether they are still wanted.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace causcale {

class MethodWatch {
 public:
  // `wanted` throws to end the work. It is called on the thread that makes this, and may be empty.
  explicit MethodWatch(const std::function<void()>& wanted) : wanted_(wanted) {}

  // For MethodOptions::cancelled, from any thread.
  bool ended() {
    if (!wanted_ || ended_) return ended_;
    if (std::this_thread::get_id() != owner_) return false;
    try {
      wanted_();
    } catch (...) {
      thrown_ = std::current_exception();
      ended_ = true;
    }
    return ended_;
  }

  // When the methods have ended with an exception: throws what `wanted` threw, if it did.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const std::function<void()>& wanted_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> ended_{false};
  std::exception_ptr thrown_;
};

}  // namespace causcale
