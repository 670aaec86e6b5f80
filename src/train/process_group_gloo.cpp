#ifdef CAUSCALE_GLOO
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO  // opens the header
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

#include "causcale/error.h"
#include "train/process_group_backend.h"

namespace causcale {

#ifdef CAUSCALE_GLOO

bool gloo_built() {
  return true;
}

std::unique_ptr<CollectiveBackend> make_gloo_backend(const BackendPlace& place) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(place.timeout);
  // The host's own name may resolve to an address that nobody listens on when there is no network.
  options->devices.push_back(place.one_machine ? Gloo::createDeviceForHostname("127.0.0.1")
                                               : Gloo::createDefaultDevice());
  return std::make_unique<C10dBackend<Gloo>>(place.store, place.rank, place.size, options);
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
