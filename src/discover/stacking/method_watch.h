// Methods that run for a statistic ask here whether they are still wanted.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "causcale/error.h"

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

  // Runs methods that ask; false where the table suits none of them. Throws what `wanted` threw.
  template <class Work>
  bool run(const Work& work) {
    try {
      work();
      return true;
    } catch (const InputError&) {
      rethrow();
      return false;
    } catch (const Error&) {
      rethrow();
      throw;
    }
  }

 private:
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

  const std::function<void()>& wanted_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> ended_{false};
  std::exception_ptr thrown_;
};

}  // namespace causcale
