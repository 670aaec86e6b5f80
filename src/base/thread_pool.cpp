#include "base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/parallel.h"

namespace causcale {
namespace {

// One call of for_each_block. It lives on the caller's stack; the pool's mutex guards what is not atomic.
struct Job {
  const BlockFunction& work;
  std::int64_t count, grain;
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure{};  // guarded by the pool's mutex
  int places;                    // helpers that may still come
  int inside = 0;                // helpers at work
  int next_slot = 1;             // the caller has slot 0
  std::condition_variable left{};
};

class Pool {
 public:
  void run(Job& job) {
    const int helpers = job.places;  // once it stands in the list, helpers count it down
    {
      const std::lock_guard guard(lock_);
      while (workers_ < helpers && start_worker()) {
      }
      jobs_.push_back(&job);
    }
    for (int k = 0; k < helpers; ++k) wanted_.notify_one();
    work_on(job, 0);
    std::unique_lock guard(lock_);
    jobs_.remove(&job);
    job.left.wait(guard, [&] { return job.inside == 0; });
  }

 private:
  // False where the system gives no more threads; the work is then done by those that there are.
  bool start_worker() {
    try {
      std::thread([this] { wait_for_jobs(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++workers_;
    return true;
  }

  // Workers sleep until the process ends, which does not wait for them.
  void wait_for_jobs() {
    std::unique_lock guard(lock_);
    for (;;) {
      const auto open = std::ranges::find_if(jobs_, [](const Job* job) { return job->places > 0; });
      if (open == jobs_.end()) {
        wanted_.wait(guard);
        continue;
      }
      Job& job = **open;
      --job.places;
      ++job.inside;
      const int slot = job.next_slot++;
      guard.unlock();
      work_on(job, slot);
      guard.lock();
      if (--job.inside == 0) job.left.notify_one();
    }
  }

  void work_on(Job& job, int slot) {
    for (;;) {
      const std::int64_t begin = job.next.fetch_add(job.grain, std::memory_order_relaxed);
      if (begin >= job.count) return;
      try {
        job.work({begin, std::min(begin + job.grain, job.count), slot});
      } catch (...) {
        job.next.store(job.count, std::memory_order_relaxed);
        const std::lock_guard guard(lock_);
        if (!job.failure) job.failure = std::current_exception();
      }
    }
  }

  std::mutex lock_;
  std::condition_variable wanted_;
  std::list<Job*> jobs_;
  int workers_ = 0;
};

// A child of fork() has none of its parent's threads, and the parent's mutex may have been held: it gets a
// pool of its own. The old one is left alone, as destroying it would touch that mutex.
std::atomic<Pool*>& current_pool() {
  static std::atomic<Pool*> pool = [] {
    pthread_atfork(nullptr, nullptr, [] { current_pool().store(new Pool); });
    return new Pool;
  }();
  return pool;
}

}  // namespace

void for_each_block(std::int64_t count, std::int64_t grain, int threads, const BlockFunction& work) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(1, grain);
  const std::int64_t blocks = (count + grain - 1) / grain;
  const auto workers = static_cast<int>(std::min<std::int64_t>(resolve_threads(threads), blocks));
  if (workers <= 1) {
    for (std::int64_t begin = 0; begin < count; begin += grain)
      work({begin, std::min(begin + grain, count), 0});
    return;
  }
  Job job{.work = work, .count = count, .grain = grain, .places = workers - 1};
  current_pool().load()->run(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace causcale
