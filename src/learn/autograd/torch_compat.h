// Every difference between the supported libtorch versions (1.13 and 2.x) is settled here, nowhere else.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#if __has_include(<torch/version.h>)
#include <torch/version.h>
#else
#include <torch/csrc/api/include/torch/version.h>
#endif

#if TORCH_VERSION_MAJOR >= 2
#include <optional>
#else
#include <c10/util/Optional.h>
#endif

#include <initializer_list>

namespace causcale {

#if TORCH_VERSION_MAJOR >= 2
template <class T>
using TorchOptional = std::optional<T>;
#else
template <class T>
using TorchOptional = c10::optional<T>;
#endif

// Whether the graph of derivatives is being recorded for an operation on these tensors. (at::GradMode and
// c10::GradMode name the same switch in both versions; inference mode turns it off.)
inline bool wants_gradient(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors) {
  if (!c10::GradMode::is_enabled()) return false;
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined() && tensor.requires_grad()) return true;
  return false;
}

}  // namespace causcale
