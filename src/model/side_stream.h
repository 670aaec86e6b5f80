// A second CUDA stream, for the part of a pass that the rest need not wait for. Elsewhere work simply runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

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

}  // namespace causcale
