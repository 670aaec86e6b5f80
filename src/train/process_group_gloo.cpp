#ifdef CAUSCALE_GLOO
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // opens the header
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include <utility>
#include <vector>

#include "causcale/error.h"
#include "train/process_group_backend.h"

namespace causcale {

#ifdef CAUSCALE_GLOO

namespace {

class GlooPending : public Pending {
 public:
  explicit GlooPending(c10::intrusive_ptr<c10d::Work> work) : work_(std::move(work)) {}
  void wait() override { work_->wait(); }

 private:
  c10::intrusive_ptr<c10d::Work> work_;
};

class GlooBackend : public CollectiveBackend {
 public:
  explicit GlooBackend(c10::intrusive_ptr<c10d::ProcessGroupGloo> library) : library_(std::move(library)) {}
  std::unique_ptr<Pending> sum(const at::Tensor& tensor) override {
    std::vector<at::Tensor> list{tensor};
    return std::make_unique<GlooPending>(library_->allreduce(list, c10d::AllreduceOptions()));
  }
  std::unique_ptr<Pending> broadcast(const at::Tensor& tensor) override {
    std::vector<at::Tensor> list{tensor};
    return std::make_unique<GlooPending>(library_->broadcast(list, c10d::BroadcastOptions()));
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupGloo> library_;
};

}  // namespace

bool gloo_built() {
  return true;
}

std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace& place) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(place.timeout);
  // The host's own name may resolve to an address that nobody listens on when there is no network.
  options->devices.push_back(place.one_machine ? Gloo::createDeviceForHostname("127.0.0.1")
                                               : Gloo::createDefaultDevice());
  return std::make_unique<GlooBackend>(
      c10::make_intrusive<Gloo>(place.store, place.rank, place.size, options));
}

#else

bool gloo_built() {
  return false;
}

std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace&) {
  throw UsageError(
      "several processes on CPUs need Gloo, which this build lacks: install libgloo-dev (with Debian's "
      "libtorch) and configure again, or train with one process");
}

#endif

}  // namespace causcale
