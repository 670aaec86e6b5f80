// What a library for collective communication gives to ProcessGroup. The classes of c10d have the same
// functions in all supported versions, though not the same base, so each is wrapped by a template.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace causcale {

using C10dStore = c10::intrusive_ptr<c10d::Store>;
using C10dWork = c10::intrusive_ptr<c10d::Work>;

class CollectiveBackend {
 public:
  virtual ~CollectiveBackend() = default;
  virtual C10dWork sum(const at::Tensor& tensor) = 0;
  virtual C10dWork broadcast(const at::Tensor& tensor) = 0;
};

template <class Library>
class C10dBackend : public CollectiveBackend {
 public:
  template <class... Arguments>
  explicit C10dBackend(Arguments&&... arguments)
      : library_(c10::make_intrusive<Library>(std::forward<Arguments>(arguments)...)) {}

  C10dWork sum(const at::Tensor& tensor) override {
    std::vector<at::Tensor> list{tensor};
    return library_->allreduce(list, c10d::AllreduceOptions());
  }
  C10dWork broadcast(const at::Tensor& tensor) override {
    std::vector<at::Tensor> list{tensor};
    return library_->broadcast(list, c10d::BroadcastOptions());
  }

 private:
  c10::intrusive_ptr<Library> library_;
};

struct BackendPlace {
  C10dStore store;
  int rank, size;
  bool one_machine;
  std::chrono::milliseconds timeout;
};

// Each throws UsageError in a build without the library.
bool gloo_built();
std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace& place);
bool nccl_built();
std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace& place);

}  // namespace causcale
