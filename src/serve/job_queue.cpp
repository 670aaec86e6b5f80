#include "serve/job_queue.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <new>

#include "causcale/error.h"
#include "serve/http_message.h"

namespace causcale::serve {
namespace {

using Clock = std::chrono::steady_clock;

struct Cancelled {};

std::string random_id() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw HttpError(503, "the system gives no random numbers");
  std::string id;
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

std::size_t stored_bytes(const JobAnswer& answer) {
  if (const auto* text = std::get_if<std::string>(&answer)) return text->size();
  const auto& [result, record] = std::get<TableResult>(answer);
  const std::size_t matrices = result.probabilities.size() + result.bootstrap_mean.size() +
                               result.bootstrap_deviation.size() + result.selection_frequency.size() +
                               result.ancestry.size();
  return sizeof(double) * matrices + record.audit_json.size() + 64 * result.names.size() + 4096;
}

}  // namespace

struct JobQueue::Job {
  std::string id;
  TableRequest request;
  JobStatus status;
  std::shared_ptr<const JobAnswer> answer;
  std::size_t bytes = 0;
  std::atomic<bool> cancelled{false};
  Clock::time_point finished{};
  bool done() const { return status.state == JobState::kDone || status.state == JobState::kFailed; }
};

JobQueue::JobQueue(const QueueOptions& options, Work work) : options_(options), work_(std::move(work)) {
  for (int k = 0; k < std::max(1, options.workers); ++k) workers_.emplace_back([this] { work_on_jobs(); });
}

JobQueue::~JobQueue() {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
    for (const auto& [id, job] : jobs_) job->cancelled = true;
  }
  wanted_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

std::string JobQueue::submit(TableRequest request) {
  auto job = std::make_shared<Job>();
  job->id = random_id();
  job->bytes = request.table.size() + request.interventions.size();
  job->request = std::move(request);
  {
    const std::lock_guard guard(lock_);
    forget_expired();
    if (stopping_) throw HttpError(503, "the server is stopping");
    if (waiting_.size() >= options_.most_waiting)
      throw HttpError(429, fmt::format("{} jobs are waiting already: try again later", waiting_.size()));
    const Counts counts = counts_locked();
    if (counts.finished + counts.running + counts.waiting >= options_.most_finished + options_.most_waiting ||
        bytes_ + job->bytes > options_.most_bytes)
      throw HttpError(429, "too many results are kept: fetch and delete what is done, or try again later");
    bytes_ += job->bytes;
    jobs_.emplace(job->id, job);
    waiting_.push_back(job);
  }
  wanted_.notify_one();
  return job->id;
}

std::optional<JobStatus> JobQueue::status(const std::string& id) {
  const std::lock_guard guard(lock_);
  forget_expired();
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  JobStatus status = found->second->status;
  if (status.state == JobState::kQueued)
    status.before = static_cast<std::size_t>(std::ranges::find(waiting_, found->second) - waiting_.begin());
  return status;
}

std::shared_ptr<const JobAnswer> JobQueue::answer(const std::string& id) {
  const std::lock_guard guard(lock_);
  forget_expired();
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second->answer;
}

bool JobQueue::remove(const std::string& id) {
  const std::lock_guard guard(lock_);
  if (!jobs_.contains(id)) return false;
  forget(id);
  return true;
}

JobQueue::Counts JobQueue::counts() {
  const std::lock_guard guard(lock_);
  forget_expired();
  return counts_locked();
}

JobQueue::Counts JobQueue::counts_locked() const {
  const auto finished = std::ranges::count_if(jobs_, [](const auto& entry) { return entry.second->done(); });
  return {waiting_.size(), running_, static_cast<std::size_t>(finished), bytes_};
}

void JobQueue::forget_expired() {
  const auto now = Clock::now();
  std::vector<std::string> expired;
  for (const auto& [id, job] : jobs_)
    if (job->done() && now - job->finished > options_.keep) expired.push_back(id);
  for (const std::string& id : expired) forget(id);
}

// A job at work holds its table until it notices.
void JobQueue::forget(const std::string& id) {
  const JobPointer job = jobs_.at(id);
  job->cancelled = true;
  std::erase(waiting_, job);
  if (job->status.state != JobState::kRunning) bytes_ -= job->bytes;
  jobs_.erase(id);
}

void JobQueue::work_on_jobs() {
  for (;;) {
    JobPointer job;
    {
      std::unique_lock guard(lock_);
      wanted_.wait(guard, [&] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      job = waiting_.front();
      waiting_.pop_front();
      job->status.state = JobState::kRunning;
      ++running_;
    }
    run(*job);
  }
}

void JobQueue::run(Job& job) {
  const auto start = Clock::now();
  const auto progress = [&](const std::string& stage, double share) {
    if (job.cancelled) throw Cancelled();
    if (Clock::now() - start > options_.most_seconds)
      throw InputError(fmt::format("the job took longer than the {} seconds that are granted here",
                                   options_.most_seconds.count()));
    const std::lock_guard guard(lock_);
    job.status.stage = stage;
    job.status.share = share;
  };
  std::shared_ptr<const JobAnswer> answer;
  std::string kind, message;
  try {
    answer = std::make_shared<const JobAnswer>(work_(job.request, progress));
  } catch (const Cancelled&) {
  } catch (const InputError& error) {
    kind = "input";
    message = error.what();
  } catch (const UsageError& error) {
    kind = "usage";
    message = error.what();
  } catch (const std::bad_alloc&) {
    kind = "input";
    message = "the table needs more memory than there is";
  } catch (const std::exception& error) {
    kind = "internal";
    message = error.what();
  }
  const std::lock_guard guard(lock_);
  --running_;
  bytes_ -= job.bytes;
  job.request = {};
  job.finished = Clock::now();
  if (job.cancelled) return;  // nobody can ask for it any more
  job.bytes = answer ? stored_bytes(*answer) : message.size();
  bytes_ += job.bytes;
  job.answer = std::move(answer);
  job.status.state = job.answer ? JobState::kDone : JobState::kFailed;
  job.status.share = job.answer ? 1.0 : job.status.share;
  job.status.error_kind = kind;
  job.status.error_message = message;
}

}  // namespace causcale::serve
