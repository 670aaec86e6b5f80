// A second CUDA stream, for the part of a pass that the rest need not wait for. Elsewhere work simply runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace causcale {

class SideStream {
 public:
  explicit SideStream(at::Device device);
  ~SideStream();
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

  // Hands out `work` on this stream, to start after everything that the current stream has been given so far.
  // Tensors of one stream that the other reads must be kept until join().
  void run(const std::function<void()>& work);

  // Lets the current stream wait for this one.
  void join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Work on a side stream where there is one, at once where there is none. Keeps what both streams read until
// they meet.
class OverlappedWork {
 public:
  OverlappedWork(SideStream* side, const at::Tensor& reads) : side_(side) {
    if (side_) kept_.push_back(reads);
  }

  template <class Work>
  void run(const at::Tensor& reads, const Work& work) {
    if (!side_) return work();
    kept_.push_back(reads);
    side_->run(work);
  }
  void join() {
    if (side_) side_->join();
  }

 private:
  SideStream* side_;
  std::vector<at::Tensor> kept_;
};

}  // namespace causcale
