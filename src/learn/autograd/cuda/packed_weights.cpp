#include "learn/autograd/cuda/packed_weights.h"

#include <ATen/core/Tensor.h>

namespace causcale::autograd {
namespace {

std::uint32_t changes_of(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

}  // namespace

at::Tensor PackedWeights::get(const at::Tensor& first, const at::Tensor& second,
                              const std::function<at::Tensor()>& pack) {
  if (first.is_inference() || second.is_inference()) return pack();
  const std::uint32_t first_version = changes_of(first), second_version = changes_of(second);
  const std::lock_guard turn(turn_);
  Entry& entry = entries_[first.data_ptr()];
  if (entry.packed.defined() && entry.first.is_same(first) && entry.second.is_same(second) &&
      entry.first_version == first_version && entry.second_version == second_version)
    return entry.packed;
  entry = {first, second, first_version, second_version, pack()};
  return entry.packed;
}

}  // namespace causcale::autograd
