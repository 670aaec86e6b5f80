// Weights in the form that the CUDA kernels want, kept from one forward pass to the next. For inference:
// training packs anew in every pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace causcale::autograd {

// Belongs to whoever owns the weights. Safe from several threads.
class PackedWeights {
 public:
  // What `pack` made of the two matrices when they were last seen; calls it when they are new or have been
  // written to since. Tensors that count no changes (made in inference mode) are packed every time.
  at::Tensor get(const at::Tensor& first, const at::Tensor& second, const std::function<at::Tensor()>& pack);

 private:
  struct Entry {
    at::Tensor first, second;  // handles: as long as they live nobody else gets their memory
    std::uint32_t first_version, second_version;
    at::Tensor packed;
  };
  std::mutex turn_;
  std::unordered_map<const void*, Entry> entries_;  // by the memory of the first matrix
};

}  // namespace causcale::autograd
