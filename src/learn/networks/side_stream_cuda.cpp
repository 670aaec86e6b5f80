#include "learn/networks/side_stream.h"

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "learn/autograd/cuda/context.h"

namespace causcale {

struct SideStream::State {
  c10::cuda::CUDAStream stream;
};

SideStream::SideStream(at::Device device) {
  if (!device.is_cuda()) return;
  state_ =
      std::make_unique<State>(State{c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())});
}

SideStream::~SideStream() = default;

void SideStream::run(const std::function<void()>& work) {
  if (!state_) return work();
  const auto index = state_->stream.device_index();
  cuda::order_streams(c10::cuda::getCurrentCUDAStream(index).stream(), state_->stream.stream());
  const c10::cuda::CUDAStreamGuard on_side(state_->stream);
  work();
}

void SideStream::join() {
  if (!state_) return;
  const auto index = state_->stream.device_index();
  cuda::order_streams(state_->stream.stream(), c10::cuda::getCurrentCUDAStream(index).stream());
}

}  // namespace causcale
