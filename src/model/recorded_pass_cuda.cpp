#include "model/recorded_pass.h"

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <exception>

#include "ops/cuda/check.h"
#include "ops/cuda/context.h"

namespace causcale {
namespace {

template <class Step>
void attempt(const Step& step) {
  try {
    step();
  } catch (const std::exception&) {
    // The failure that brought us here is the one to report.
  }
}

}  // namespace

struct RecordedPass::State {
  explicit State(c10::cuda::CUDAStream own) : stream(own) {}
  c10::cuda::CUDAStream stream;
  at::Tensor data, prior, result;  // where the recording reads and writes
  at::cuda::CUDAGraph graph;       // goes first: it may not outlive its memory
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
  {
    const c10::cuda::CUDAStreamGuard on_own(own);
    state_->data = like.data.clone();
    state_->prior = like.prior.clone();
    const ModelInput fixed{state_->data, state_->prior, {}, {}};
    pass(fixed);  // handles, workspaces and modules of this stream must exist before
    cuda::check(cudaStreamSynchronize(own.stream()), "cudaStreamSynchronize");

    const auto pool = at::cuda::graph_pool_handle();
    try {
      // Other threads may go on allocating meanwhile.
      state_->graph.capture_begin(pool, cudaStreamCaptureModeThreadLocal);
      state_->result = pass(fixed);
      state_->graph.capture_end();
    } catch (...) {
      const std::exception_ptr reason = std::current_exception();
      state_->result.reset();
      // Either this ends the recording, or CUDA has given it up already. Then libtorch's allocator must be
      // told, or it would go on asking this graph which memory to take, and keep that memory.
      attempt([&] { state_->graph.capture_end(); });
      bool graph_owns_pool = false;
      attempt([&] { graph_owns_pool = state_->graph.pool() == pool; });
      if (!graph_owns_pool) {
        attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(device.index(), pool); });
        attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(device.index(), pool); });
      }
      cudaGetLastError();
      std::rethrow_exception(reason);
    }
  }
  cuda::order_streams(own.stream(), caller.stream());
}

RecordedPass::~RecordedPass() {
  if (state_) cudaStreamSynchronize(state_->stream.stream());
}

at::Tensor RecordedPass::replay(const ModelInput& input) {
  const c10::InferenceMode inference;
  const c10::cuda::CUDAGuard on_device(state_->data.device());
  const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream();
  // The caller's stream waits for the end, so its allocator may give the memory of both sides away again as
  // if all had happened there.
  at::Tensor result = at::empty_like(state_->result);
  cuda::order_streams(caller.stream(), state_->stream.stream());
  {
    const c10::cuda::CUDAStreamGuard on_own(state_->stream);
    state_->data.copy_(input.data, /*non_blocking=*/true);
    state_->prior.copy_(input.prior, /*non_blocking=*/true);
    state_->graph.replay();
    result.copy_(state_->result, /*non_blocking=*/true);
  }
  cuda::order_streams(state_->stream.stream(), caller.stream());
  return result;
}

}  // namespace causcale
