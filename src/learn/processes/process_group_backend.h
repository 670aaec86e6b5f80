// What a library for collective communication gives to ProcessGroup.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <memory>
#include <string>

#include "learn/processes/process_group.h"

namespace causcale {

using C10dStore = c10::intrusive_ptr<c10d::Store>;
using Pending = ProcessGroup::Pending;

class CollectiveBackend {
 public:
  virtual ~CollectiveBackend() = default;
  virtual std::unique_ptr<Pending> sum(const at::Tensor& tensor) = 0;
  virtual std::unique_ptr<Pending> broadcast(const at::Tensor& tensor) = 0;
  virtual std::unique_ptr<Pending> exchange(const at::Tensor& from, const at::Tensor& to) = 0;
};

struct BackendPlace {
  C10dStore store;
  int rank, size;
  bool one_machine;
  std::string first_host;  // where the first process is, and where it listens
  int first_port;
  std::chrono::milliseconds timeout;
};

// Each throws UsageError in a build without the library.
bool gloo_built();
std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace& place);
bool nccl_built();
std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace& place);

}  // namespace causcale
