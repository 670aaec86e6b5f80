#include "core/cuda/recordings.h"

#include <algorithm>
#include <exception>

#include "core/cuda/check.h"

namespace causcale::cuda {
namespace {

constexpr std::size_t kMostRecordings = 8;

}  // namespace

Recordings::~Recordings() {
  clear();
}

void Recordings::clear() {
  for (const Entry& entry : entries_)
    if (entry.graph != nullptr) cudaGraphExecDestroy(entry.graph);
  entries_.clear();
}

std::size_t Recordings::count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.graph != nullptr; }));
}

void Recordings::run(const Key& key, const Queue& queue, const std::function<void()>& work) {
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end()) {
    // Whatever CUDA loads with the first use of a kernel is loaded now.
    entries_.push_front({key, false, nullptr});
    if (entries_.size() > kMostRecordings) {
      if (entries_.back().graph != nullptr) cudaGraphExecDestroy(entries_.back().graph);
      entries_.pop_back();
    }
    return work();
  }
  entries_.splice(entries_.begin(), entries_, found);
  Entry& entry = entries_.front();
  if (entry.graph == nullptr && !entry.failed) {
    entry.graph = record(queue, work);
    entry.failed = entry.graph == nullptr;
  }
  if (entry.failed) return work();
  check(cudaGraphLaunch(entry.graph, queue.stream()), "cudaGraphLaunch");
}

cudaGraphExec_t Recordings::record(const Queue& queue, const std::function<void()>& work) {
  // Other threads may go on using the device meanwhile.
  if (cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  bool complete = true;
  try {
    work();
  } catch (const std::exception&) {
    complete = false;
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(queue.stream(), &graph);
  if (complete && ended == cudaSuccess && cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess)
    executable = nullptr;
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // whatever went wrong is not the next launch's fault
  return executable;
}

}  // namespace causcale::cuda
