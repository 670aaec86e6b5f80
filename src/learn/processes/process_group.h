// The processes that train one model together: sums and copies of tensors between them, decisions that all
// take alike, and the detection of one that is gone.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "causcale/error.h"
#include "learn/processes/launch.h"

namespace causcale {

// Another process has ended or does not answer.
class PeerError : public Error {
 public:
  using Error::Error;
};

struct ProcessGroupOptions {
  // A collective operation that takes longer has failed. Longer than any pause of a single process.
  std::chrono::seconds operation_timeout{600};
  // A process that shows no sign of life for so long is taken for dead, whatever it was doing.
  std::chrono::seconds silence_timeout{60};
  // What the main thread gets to end in good order before a process with dead peers is ended.
  std::chrono::seconds grace{15};
  // What follows a message that others are gone.
  std::string advice = "The last checkpoint is whole: go on with --resume";
};

class ProcessGroup {
 public:
  // Waits until all have joined. NCCL carries the tensors of CUDA devices, Gloo those of CPUs. Throws
  // UsageError when this build lacks the one that is needed, PeerError when the others do not come.
  ProcessGroup(const LaunchEnvironment& launch, at::Device device, const ProcessGroupOptions& options = {});
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // Whether this build can connect processes on such devices.
  static bool available(at::Device device);

  int rank() const;
  int size() const;
  bool first() const { return rank() == 0; }

  // Collective operations: every process calls them in the same order. On CUDA devices nothing waits on the
  // host, the current stream does.
  class Pending {
   public:
    virtual ~Pending() = default;
    virtual void wait() = 0;
  };
  // The tensor becomes the sum over processes once waited for, and must live until then. Any thread.
  std::unique_ptr<Pending> start_sum(const at::Tensor& tensor);
  void sum(const at::Tensor& tensor) { start_sum(tensor)->wait(); }
  // The first process' values.
  void broadcast(const at::Tensor& tensor);
  // Both [size(), ...], contiguous: from[p] goes to process p, to[p] comes from it.
  void exchange(const at::Tensor& from, const at::Tensor& to);

  // What the first process says, for all: on the host, without the device. Also collective. It may be a while
  // until the first one speaks: `patient` waits as long as it shows signs of life.
  std::string from_first(const std::string& mine, bool patient = false);
  std::vector<double> from_first(const std::vector<double>& mine);

  // Any process may ask for the end of the run; the first one sees to it.
  void request_stop();
  bool stop_requested();

  // The end in good order: waits for all.
  void leave();
  // The end otherwise: what the others will report.
  void report_failure(const std::string& message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace causcale
