// The capture is done by hand rather than by at::cuda::CUDAGraph, which takes libtorch's random generator
// along: a capture that fails leaves it unusable. Nothing here draws random numbers.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <exception>
#include <optional>

#include "core/cuda/check.h"
#include "learn/autograd/cuda/context.h"
#include "learn/networks/recorded_pass.h"

namespace causcale {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using CaptureNumber = unsigned long long;

// The number of the capture that a stream takes part in, 0 if none.
CaptureNumber capture_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CaptureNumber number = 0;
  if (cudaStreamGetCaptureInfo(stream, &status, &number) != cudaSuccess) return 0;
  return status == cudaStreamCaptureStatusActive ? number : 0;
}

// Memory of libtorch's allocator that belongs to a recording alone and stays where it is.
class PrivateMemory {
 public:
  explicit PrivateMemory(c10::DeviceIndex device)
      : device_(device), pool_(at::cuda::graph_pool_handle()), capture_(std::make_shared<CaptureNumber>(0)) {
    allocator::beginAllocateToPool(device_, pool_, [capture = capture_](cudaStream_t stream) {
      return *capture != 0 && capture_of(stream) == *capture;
    });
  }
  ~PrivateMemory() {
    try {
      close();
      allocator::releasePool(device_, pool_);
    } catch (const std::exception&) {
      // The memory stays reserved; no reason to end the program.
    }
  }
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;

  // From now on streams of this capture allocate here.
  void serve(CaptureNumber capture) { *capture_ = capture; }
  void close() {
    if (!open_) return;
    open_ = false;
    allocator::endAllocateToPool(device_, pool_);
  }

 private:
  c10::DeviceIndex device_;
  decltype(at::cuda::graph_pool_handle()) pool_;
  std::shared_ptr<CaptureNumber> capture_;
  bool open_ = true;
};

}  // namespace

struct RecordedPass::State {
  explicit State(c10::cuda::CUDAStream own) : stream(own) {}
  ~State() {
    cudaStreamSynchronize(stream.stream());
    if (executable != nullptr) cudaGraphExecDestroy(executable);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  c10::cuda::CUDAStream stream;
  std::optional<PrivateMemory> memory;
  at::Tensor data, prior, pairs, result;  // where the recording reads and writes; `result` in `memory`
  cudaGraphExec_t executable = nullptr;
};

bool RecordedPass::possible(at::Device device) {
  return device.is_cuda();
}

RecordedPass::RecordedPass(const ModelInput& like, const Pass& pass) {
  const c10::InferenceMode inference;
  const at::Device device = like.data.device();
  const c10::cuda::CUDAGuard on_device(device);
  const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream();
  const c10::cuda::CUDAStream own = c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index());
  cuda::order_streams(caller.stream(), own.stream());
  state_ = std::make_unique<State>(own);
  const c10::cuda::CUDAStreamGuard on_own(own);
  state_->data = like.data.clone();
  state_->prior = like.prior.clone();
  if (like.pairs.defined()) state_->pairs = like.pairs.clone();
  const ModelInput fixed{state_->data, state_->prior, {}, {}, state_->pairs};
  pass(fixed);  // handles, workspaces and modules of this stream must exist before
  cuda::check(cudaStreamSynchronize(own.stream()), "cudaStreamSynchronize");

  state_->memory.emplace(device.index());
  // Other threads may go on allocating meanwhile.
  cuda::check(cudaStreamBeginCapture(own.stream(), cudaStreamCaptureModeThreadLocal),
              "cudaStreamBeginCapture");
  state_->memory->serve(capture_of(own.stream()));
  std::exception_ptr failure;
  try {
    state_->result = pass(fixed);
  } catch (...) {
    failure = std::current_exception();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(own.stream(), &graph);
  state_->memory->close();
  cudaError_t made = ended;
  if (!failure && ended == cudaSuccess) made = cudaGraphInstantiate(&state_->executable, graph, 0);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();  // whatever went wrong is reported here, not by the next launch
  if (failure) std::rethrow_exception(failure);
  cuda::check(made, "recording a pass");
}

RecordedPass::~RecordedPass() = default;

at::Tensor RecordedPass::replay(const ModelInput& input) {
  const c10::InferenceMode inference;
  const c10::cuda::CUDAGuard on_device(state_->data.device());
  const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream();
  // The caller's stream waits for the end, so its allocator may give the memory of both sides away again as
  // if all had happened there.
  at::Tensor result = at::empty_like(state_->result);
  const cudaStream_t own = state_->stream.stream();
  cuda::order_streams(caller.stream(), own);
  {
    const c10::cuda::CUDAStreamGuard on_own(state_->stream);
    state_->data.copy_(input.data, /*non_blocking=*/true);
    state_->prior.copy_(input.prior, /*non_blocking=*/true);
    if (state_->pairs.defined()) state_->pairs.copy_(input.pairs, /*non_blocking=*/true);
    cuda::check(cudaGraphLaunch(state_->executable, own), "cudaGraphLaunch");
    result.copy_(state_->result, /*non_blocking=*/true);
  }
  cuda::order_streams(own, caller.stream());
  return result;
}

}  // namespace causcale
