// Jobs of `causcale serve`: a bounded queue, a pool of workers, results that are kept for a while.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "service/table_job.h"
#include "service/table_request.h"

namespace causcale::serve {

struct QueueOptions {
  int workers = 1;
  std::size_t most_waiting = 64;                  // jobs that have not begun
  std::size_t most_finished = 1000;               // jobs whose results are kept
  std::size_t most_bytes = std::size_t{1} << 30;  // of waiting tables and kept results together, roughly
  std::chrono::seconds keep{900};                 // results, after which they are forgotten
  std::chrono::seconds most_seconds{600};         // that a job may run
};

enum class JobState { kQueued, kRunning, kDone, kFailed };

// An audit as JSON, or a graph.
using JobAnswer = std::variant<std::string, TableResult>;

struct JobStatus {
  JobState state = JobState::kQueued;
  std::size_t before = 0;  // queued: jobs that come first
  std::string stage;       // running
  double share = 0;
  std::string error_kind, error_message;  // failed: "input", "usage" or "internal"
};

class JobQueue {
 public:
  // What a worker does with a request. `progress` throws when the job has been cancelled or takes too long.
  using Work = std::function<JobAnswer(const TableRequest& request, const JobProgress& progress)>;

  JobQueue(const QueueOptions& options, Work work);
  ~JobQueue();  // cancels what runs and waits for it
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // The id of the new job, which nobody can guess. Throws HttpError 429 where the queue or the store of
  // results is full; what was accepted is never dropped.
  std::string submit(TableRequest request);
  std::optional<JobStatus> status(const std::string& id);
  // Null unless it is done.
  std::shared_ptr<const JobAnswer> answer(const std::string& id);
  // Cancels and forgets a job; false where there is none.
  bool remove(const std::string& id);

  struct Counts {
    std::size_t waiting = 0, running = 0, finished = 0, bytes = 0;
  };
  Counts counts();

 private:
  struct Job;
  using JobPointer = std::shared_ptr<Job>;

  void work_on_jobs();
  void run(Job& job);
  void forget_expired();  // with the lock held
  void forget(const std::string& id);
  Counts counts_locked() const;

  const QueueOptions options_;
  const Work work_;
  std::mutex lock_;
  std::condition_variable wanted_;
  std::map<std::string, JobPointer> jobs_;
  std::deque<JobPointer> waiting_;
  std::size_t running_ = 0;
  std::size_t bytes_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace causcale::serve
