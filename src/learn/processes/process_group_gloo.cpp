#ifdef CAUSCALE_GLOO
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // opens the header
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "causcale/error.h"
#include "learn/processes/local_address.h"
#include "learn/processes/process_group_backend.h"

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
  std::unique_ptr<Pending> exchange(const at::Tensor& from, const at::Tensor& to) override {
    at::Tensor input = from, output = to;
    std::vector<std::int64_t> alike;  // no sizes: equal parts along the first axis
    return std::make_unique<GlooPending>(
        library_->alltoall_base(output, input, alike, alike, c10d::AllToAllOptions()));
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroupGloo> library_;
};

}  // namespace

bool gloo_built() {
  return true;
}

namespace {

// Where this process listens for the others. Gloo's own choice is what the machine's name stands for, which
// is often a loopback address. The way to the first process leads over the right network; processes on its
// own machine learn from those elsewhere under which address they reach it.
std::string listening_address(const BackendPlace& place) {
  if (place.one_machine) return "127.0.0.1";
  const Route route = route_to(place.first_host, place.first_port);
  if (route.leaves_machine) {
    place.store->set("first_address", std::vector<std::uint8_t>(route.to.begin(), route.to.end()));
    return route.from;
  }
  // Not by a get that waits: it would keep the watch from the store.
  const auto end = std::chrono::steady_clock::now() + place.timeout;
  while (!place.store->check({"first_address"})) {
    if (std::chrono::steady_clock::now() > end)
      throw PeerError("no process of another machine has come: is it there and are its names known?");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::vector<std::uint8_t> told = place.store->get("first_address");
  return {told.begin(), told.end()};
}

}  // namespace

std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace& place) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(place.timeout);
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(
      interface && *interface ? Gloo::createDeviceForInterface(interface)
                              : Gloo::createDeviceForHostname(listening_address(place)));
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
