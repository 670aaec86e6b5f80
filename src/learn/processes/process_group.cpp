#include "learn/processes/process_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "learn/processes/process_group_backend.h"

namespace causcale {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kBeat{500};
// Values that the first process has said are kept so long for those behind; collectives keep all closer.
constexpr std::int64_t kKept = 1000;

std::vector<std::uint8_t> to_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown host";
  return name;
}

// Waits between questions: short at first, so that what is about to come is not waited for, then longer.
class Patience {
 public:
  explicit Patience(Clock::duration limit) : end_(Clock::now() + limit) {}
  bool over() const { return Clock::now() >= end_; }
  void pause() {
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(2 * pause_, std::chrono::microseconds(20'000));
  }

 private:
  Clock::time_point end_;
  std::chrono::microseconds pause_{50};
};

}  // namespace

struct ProcessGroup::State {
  LaunchEnvironment launch;
  ProcessGroupOptions options;
  C10dStore store;
  std::unique_ptr<CollectiveBackend> backend;
  std::int64_t said = 0;  // number of from_first calls
  bool stop_asked = false, failed = false;

  std::mutex lock;
  std::condition_variable wake;
  bool leaving = false, watch_ended = false;
  std::thread watch, guard;
  std::atomic<Clock::rep> last_round{0};  // of the watch, when it ended

  std::string name_of(int rank) {
    const std::string key = fmt::format("host/{}", rank);
    std::string host;
    if (store->check({key})) {
      const std::vector<std::uint8_t> bytes = store->get(key);
      host.assign(bytes.begin(), bytes.end());
    }
    return fmt::format("process {} of {}{}", rank, launch.size, host.empty() ? "" : " (" + host + ")");
  }
  std::string first_gone() const {
    return fmt::format("process 0 of {} at {}:{} is gone", launch.size, launch.address, launch.port);
  }

  // What a process has reported before it left, or nothing.
  std::string reported() {
    if (!store->check({"failure"})) return "";
    const std::vector<std::uint8_t> bytes = store->get("failure");
    return {bytes.begin(), bytes.end()};
  }

  std::vector<std::int64_t> beats() {
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < launch.size; ++rank) all.push_back(store->add(fmt::format("beat/{}", rank), 0));
    return all;
  }

  // Who is to blame for an operation that failed: a report, else those whose heart has stopped.
  std::string explain(const char* what) {
    try {
      const std::vector<std::int64_t> before = beats();
      for (Patience patience(5 * kBeat); !patience.over(); patience.pause())
        if (const std::string report = reported(); !report.empty()) {
          store->add("noticed", 1);
          return report;
        }
      const std::vector<std::int64_t> after = beats();
      std::vector<std::string> silent;
      for (int rank = 0; rank < launch.size; ++rank)
        if (rank != launch.rank && before[rank] == after[rank]) silent.push_back(name_of(rank));
      if (!silent.empty()) return fmt::format("{} has ended or does not answer", fmt::join(silent, ", "));
    } catch (const std::exception&) {
      if (launch.rank != 0) return first_gone();
    }
    return fmt::format("the connection between the processes failed: {}", what);
  }

  [[noreturn]] void fail(const char* what) {
    failed = true;
    throw PeerError(fmt::format("process {} of {}: {}", launch.rank, launch.size, explain(what)));
  }

  void keep_watch();
  void guard_the_watch();
  void start_guard() {
    last_round = Clock::now().time_since_epoch().count();
    guard = std::thread([this] { guard_the_watch(); });
  }
  void end_watch() {
    raise(leaving);
    if (watch.joinable()) watch.join();
    raise(watch_ended);
    if (guard.joinable()) guard.join();
  }
  void raise(bool& flag) {
    {
      const std::lock_guard turn(lock);
      flag = true;
    }
    wake.notify_all();
  }
  [[noreturn]] void end_now(const std::string& reason) const {
    std::fprintf(stderr, "causcale: process %d of %d: %s; ending. %s\n", launch.rank, launch.size,
                 reason.c_str(), options.advice.c_str());
    std::_Exit(3);
  }
};

// Where the machine of the first process, or the network to it, is gone without a word, a question to the
// store never comes back, and the watch with it.
void ProcessGroup::State::guard_the_watch() {
  std::unique_lock turn(lock);
  while (!wake.wait_for(turn, kBeat, [&] { return watch_ended; })) {
    const Clock::time_point last{Clock::duration(last_round)};
    if (Clock::now() - last < options.silence_timeout + options.grace) continue;
    end_now(fmt::format("process 0 of {} at {}:{} has not answered for {} s", launch.size, launch.address,
                        launch.port, (options.silence_timeout + options.grace).count()));
  }
}

// Signs of life, and the look-out for those of others. Device work that waits for a dead process never comes
// back, so the last resort is the end of this process.
void ProcessGroup::State::keep_watch() {
  std::vector<std::int64_t> seen(launch.size, -1);
  std::vector<Clock::time_point> heard(launch.size, Clock::now());
  std::unique_lock turn(lock);
  while (!wake.wait_for(turn, kBeat, [&] { return leaving; })) {
    turn.unlock();
    std::string reason;
    try {
      store->add(fmt::format("beat/{}", launch.rank), 1);
      reason = reported();
      if (reason.empty() && launch.rank == 0) {
        const std::vector<std::int64_t> now = beats();
        for (int rank = 1; rank < launch.size; ++rank) {
          if (now[rank] != seen[rank]) heard[rank] = Clock::now();
          seen[rank] = now[rank];
          if (Clock::now() - heard[rank] < options.silence_timeout) continue;
          reason = fmt::format("{} has shown no sign of life for {} s", name_of(rank),
                               options.silence_timeout.count());
          store->set("failure", to_bytes(reason));
        }
      }
    } catch (const std::exception&) {
      reason = first_gone();
    }
    last_round = Clock::now().time_since_epoch().count();
    turn.lock();
    if (reason.empty()) continue;
    if (wake.wait_for(turn, options.grace, [&] { return leaving; })) return;
    end_now(reason);
  }
}

ProcessGroup::ProcessGroup(const LaunchEnvironment& launch, at::Device device,
                           const ProcessGroupOptions& options)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.launch = launch;
  state.options = options;
  const auto timeout = std::chrono::duration_cast<milliseconds>(options.operation_timeout);
  c10d::TCPStoreOptions place;
  place.port = static_cast<std::uint16_t>(launch.port);
  place.isServer = launch.rank == 0 && !launch.store_exists;
  place.numWorkers = static_cast<std::size_t>(launch.size);
  place.timeout = timeout;
  C10dStore for_collectives;
  try {
    const std::string prefix = "causcale" + launch.attempt;
    state.store = c10::make_intrusive<c10d::PrefixStore>(
        prefix, c10::make_intrusive<c10d::TCPStore>(launch.address, place));
    // Forming the group waits for keys of others, during which a connection is of no use to anybody else: the
    // watch keeps one of its own.
    place.isServer = place.waitWorkers = false;
    place.numWorkers.reset();
    for_collectives = c10::make_intrusive<c10d::PrefixStore>(
        prefix + "/collectives", c10::make_intrusive<c10d::TCPStore>(launch.address, place));
    state.store->set(fmt::format("host/{}", launch.rank),
                     to_bytes(fmt::format("{}, pid {}", host_name(), ::getpid())));
  } catch (const std::exception& error) {
    throw PeerError(fmt::format("process {} of {}: the processes could not meet at {}:{}: {}", launch.rank,
                                launch.size, launch.address, launch.port, error.what()));
  }
  const BackendPlace backend{for_collectives, launch.rank, launch.size, launch.local_size == launch.size,
                             launch.address,  launch.port, timeout};
  // The watch begins first: forming the group waits for everyone, too.
  state.watch = std::thread([&state] { state.keep_watch(); });
  state.start_guard();
  try {
    state.backend = device.is_cuda() ? make_nccl_backend(backend) : make_gloo_backend(backend);
  } catch (...) {
    state.end_watch();
    throw;
  }
}

ProcessGroup::~ProcessGroup() {
  state_->end_watch();
}

bool ProcessGroup::available(at::Device device) {
  return device.is_cuda() ? nccl_built() : gloo_built();
}

int ProcessGroup::rank() const {
  return state_->launch.rank;
}
int ProcessGroup::size() const {
  return state_->launch.size;
}

namespace {

class PendingWork : public Pending {
 public:
  PendingWork(std::unique_ptr<Pending> work, std::function<void(const char*)> fail)
      : work_(std::move(work)), fail_(std::move(fail)) {}
  void wait() override {
    try {
      work_->wait();
    } catch (const std::exception& error) {
      fail_(error.what());
    }
  }

 private:
  std::unique_ptr<Pending> work_;
  std::function<void(const char*)> fail_;
};

}  // namespace

std::unique_ptr<ProcessGroup::Pending> ProcessGroup::start_sum(const at::Tensor& tensor) {
  State* state = state_.get();
  try {
    return std::make_unique<PendingWork>(state->backend->sum(tensor),
                                         [state](const char* what) { state->fail(what); });
  } catch (const std::exception& error) {
    state->fail(error.what());
  }
}

void ProcessGroup::broadcast(const at::Tensor& tensor) {
  try {
    state_->backend->broadcast(tensor)->wait();
  } catch (const std::exception& error) {
    state_->fail(error.what());
  }
}

void ProcessGroup::exchange(const at::Tensor& from, const at::Tensor& to) {
  try {
    state_->backend->exchange(from, to)->wait();
  } catch (const std::exception& error) {
    state_->fail(error.what());
  }
}

std::string ProcessGroup::from_first(const std::string& mine, bool patient) {
  State& state = *state_;
  const std::string key = fmt::format("said/{}", state.said++);
  try {
    if (first()) {
      state.store->set(key, to_bytes(mine));
      if (state.said > kKept) state.store->deleteKey(fmt::format("said/{}", state.said - 1 - kKept));
      return mine;
    }
    int asked = 0;
    for (Patience patience(state.options.operation_timeout); !state.store->check({key}); patience.pause()) {
      if (++asked % 8 == 0 && !state.reported().empty()) state.fail("");
      if (!patient && patience.over()) state.fail("the first process says nothing");
    }
    const std::vector<std::uint8_t> bytes = state.store->get(key);
    return {bytes.begin(), bytes.end()};
  } catch (const PeerError&) {
    throw;
  } catch (const std::exception& error) {
    state.fail(error.what());
  }
}

std::vector<double> ProcessGroup::from_first(const std::vector<double>& mine) {
  std::string bytes(mine.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), mine.data(), bytes.size());
  bytes = from_first(bytes);
  std::vector<double> theirs(mine.size());
  std::memcpy(theirs.data(), bytes.data(), std::min(bytes.size(), theirs.size() * sizeof(double)));
  return theirs;
}

void ProcessGroup::request_stop() {
  if (state_->stop_asked) return;
  state_->stop_asked = true;
  state_->store->set("stop", std::vector<std::uint8_t>{1});
}

bool ProcessGroup::stop_requested() {
  return state_->store->check({"stop"});
}

void ProcessGroup::leave() {
  from_first(std::string());
  State& state = *state_;
  state.end_watch();
  try {
    state.store->add("left", 1);
    if (!first()) return;
    for (Patience patience(std::chrono::seconds(20)); !patience.over(); patience.pause())
      if (state.store->add("left", 0) == size()) return;
  } catch (const std::exception&) {
    // All work is done and saved; a connection that breaks now harms nobody.
  }
}

void ProcessGroup::report_failure(const std::string& message) {
  State& state = *state_;
  if (state.failed) return;
  state.failed = true;
  try {
    state.store->set("failure", to_bytes(fmt::format("{} ended: {}", state.name_of(rank()), message)));
    // The store lives in the first process: it stays until the others have read why it goes.
    if (first() && !state.launch.store_exists)
      for (Patience patience(std::chrono::seconds(3)); !patience.over(); patience.pause())
        if (state.store->add("noticed", 0) >= size() - 1) return;
  } catch (const std::exception&) {
    // Then the others will notice by the connection that breaks.
  }
}

}  // namespace causcale
