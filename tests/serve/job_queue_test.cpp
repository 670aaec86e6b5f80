#include "serve/job_queue.h"

#include <gtest/gtest.h>

#include <future>

#include "causcale/error.h"
#include "serve/http_message.h"

namespace causcale::serve {
namespace {

TableRequest request_named(const std::string& name) {
  TableRequest request;
  request.name = name;
  request.table = "a,b\n";
  return request;
}

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Until the job is neither queued nor running.
JobStatus finished(JobQueue& queue, const std::string& id) {
  for (;;) {
    const auto status = queue.status(id);
    if (!status) return {};
    if (status->state == JobState::kDone || status->state == JobState::kFailed) return *status;
    pause();
  }
}

// Work that waits at a gate, so that tests decide when it goes on.
struct Gate {
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  JobQueue::Work work() {
    return [opened = opened](const TableRequest& request, const JobProgress& progress) -> JobAnswer {
      progress("waiting", 0.25);
      while (opened.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
        progress("waiting", 0.25);
      return "answer to " + request.name;
    };
  }
};

int submit_status(JobQueue& queue) {
  try {
    queue.submit(request_named("more"));
  } catch (const HttpError& error) {
    return error.status();
  }
  return 202;
}

TEST(JobQueue, DoesEveryJobOnce) {
  std::atomic<int> calls{0};
  JobQueue queue({.workers = 3}, [&](const TableRequest& request, const JobProgress&) -> JobAnswer {
    ++calls;
    return "answer to " + request.name;
  });
  std::vector<std::string> ids;
  for (int k = 0; k < 40; ++k) ids.push_back(queue.submit(request_named(std::to_string(k))));
  for (int k = 0; k < 40; ++k) {
    EXPECT_EQ(finished(queue, ids[k]).state, JobState::kDone);
    EXPECT_EQ(std::get<std::string>(*queue.answer(ids[k])), "answer to " + std::to_string(k));
  }
  EXPECT_EQ(calls, 40);
  EXPECT_EQ(queue.counts().finished, 40u);
}

TEST(JobQueue, ReportsPlaceAndProgress) {
  Gate gate;
  JobQueue queue({}, gate.work());
  const std::string first = queue.submit(request_named("first"));
  while (queue.status(first)->stage != "waiting") pause();
  EXPECT_EQ(queue.status(first)->share, 0.25);
  const std::string second = queue.submit(request_named("second"));
  const std::string third = queue.submit(request_named("third"));
  EXPECT_EQ(queue.status(second)->before, 0u);
  EXPECT_EQ(queue.status(third)->before, 1u);
  EXPECT_EQ(queue.answer(third), nullptr);
  gate.open.set_value();
  EXPECT_EQ(finished(queue, third).state, JobState::kDone);
}

TEST(JobQueue, AFullQueueRefusesAndLosesNothing) {
  Gate gate;
  JobQueue queue({.most_waiting = 2}, gate.work());
  const std::string running = queue.submit(request_named("running"));
  while (queue.counts().running == 0) pause();
  const std::string waiting = queue.submit(request_named("waiting"));
  queue.submit(request_named("waiting, too"));
  EXPECT_EQ(submit_status(queue), 429);
  gate.open.set_value();
  EXPECT_EQ(finished(queue, running).state, JobState::kDone);
  EXPECT_EQ(finished(queue, waiting).state, JobState::kDone);
  EXPECT_EQ(submit_status(queue), 202);
}

TEST(JobQueue, KeepsNoMoreThanItsBytes) {
  JobQueue queue({.most_bytes = 100},
                 [](const TableRequest&, const JobProgress&) -> JobAnswer { return std::string(90, 'x'); });
  const std::string id = queue.submit(request_named("large"));
  EXPECT_EQ(finished(queue, id).state, JobState::kDone);
  EXPECT_EQ(queue.counts().bytes, 90u);
  TableRequest large = request_named("next");
  large.table.assign(20, 'x');
  EXPECT_THROW(queue.submit(large), HttpError);
  EXPECT_TRUE(queue.remove(id));
  EXPECT_EQ(queue.counts().bytes, 0u);
  EXPECT_NO_THROW(queue.submit(large));
}

TEST(JobQueue, CancelsWhatWaitsAndWhatRuns) {
  Gate gate;
  JobQueue queue({}, gate.work());
  const std::string running = queue.submit(request_named("running"));
  while (queue.counts().running == 0) pause();
  const std::string waiting = queue.submit(request_named("waiting"));
  EXPECT_TRUE(queue.remove(waiting));
  EXPECT_TRUE(queue.remove(running));
  EXPECT_FALSE(queue.remove(running));
  EXPECT_FALSE(queue.status(running).has_value());
  while (queue.counts().running > 0) pause();  // the gate stays shut: it has been ended
  EXPECT_EQ(queue.counts().bytes, 0u);
}

TEST(JobQueue, TellsWhyAJobFailed) {
  JobQueue queue({}, [](const TableRequest& request, const JobProgress&) -> JobAnswer {
    if (request.name == "input") throw InputError("line 3");
    if (request.name == "usage") throw UsageError("--top");
    if (request.name == "memory") throw std::bad_alloc();
    throw std::runtime_error("oh");
  });
  for (const auto& [name, kind] : {std::pair("input", "input"), std::pair("usage", "usage"),
                                   std::pair("memory", "input"), std::pair("other", "internal")}) {
    const JobStatus status = finished(queue, queue.submit(request_named(name)));
    EXPECT_EQ(status.state, JobState::kFailed);
    EXPECT_EQ(status.error_kind, kind);
    EXPECT_FALSE(status.error_message.empty());
  }
}

TEST(JobQueue, EndsJobsThatTakeTooLong) {
  Gate gate;
  JobQueue queue({.most_seconds = std::chrono::seconds(0)}, gate.work());
  const JobStatus status = finished(queue, queue.submit(request_named("slow")));
  EXPECT_EQ(status.state, JobState::kFailed);
  EXPECT_NE(status.error_message.find("longer than"), std::string::npos);
}

TEST(JobQueue, ForgetsOldResults) {
  JobQueue queue({.keep = std::chrono::seconds(-1)},
                 [](const TableRequest&, const JobProgress&) -> JobAnswer { return "x"; });
  const std::string id = queue.submit(request_named("old"));
  while (queue.status(id)) pause();
  EXPECT_EQ(queue.counts().bytes, 0u);
}

TEST(JobQueue, EndsWithWorkUnderWay) {
  Gate gate;
  JobQueue queue({.workers = 2}, gate.work());
  for (int k = 0; k < 5; ++k) queue.submit(request_named("never"));
}

}  // namespace
}  // namespace causcale::serve
