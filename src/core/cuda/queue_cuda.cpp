#include "core/cuda/queue.h"

#include "core/cuda/check.h"

namespace causcale::cuda {

void order_streams(cudaStream_t earlier, cudaStream_t later) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  const cudaError_t recorded = cudaEventRecord(event, earlier);
  const cudaError_t waited = recorded == cudaSuccess ? cudaStreamWaitEvent(later, event, 0) : recorded;
  cudaEventDestroy(event);  // takes effect once the event has passed
  check(waited, "order_streams");
}

Queue::Queue() {
  // The default stream would wait for other streams of the process.
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const cublasStatus_t made = cublasCreate(&blas_);
  if (made != CUBLAS_STATUS_SUCCESS) {
    cudaStreamDestroy(stream_);
    check(made, "cublasCreate");
  }
  cublasSetStream(blas_, stream_);
}

Queue::~Queue() {
  cudaStreamSynchronize(stream_);
  cublasDestroy(blas_);
  cudaStreamDestroy(stream_);
}

void Queue::use_workspace(void* memory, std::int64_t bytes) const {
  check(cublasSetWorkspace(blas_, memory, static_cast<std::size_t>(bytes)), "cublasSetWorkspace");
}

void Queue::wait() const {
  check(cudaStreamSynchronize(stream_), "the network on the GPU");
}

std::int64_t Queue::workspace_bytes(int major) {
  return std::int64_t{major >= 9 ? 32 : 8} << 20;
}

Mark::Mark() {
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}
Mark::~Mark() {
  cudaEventDestroy(event_);
}
void Mark::set(cudaStream_t stream) {
  check(cudaEventRecord(event_, stream), "cudaEventRecord");
}
void Mark::wait_in(cudaStream_t stream) const {
  check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

}  // namespace causcale::cuda
