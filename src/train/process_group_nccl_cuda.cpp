#ifdef CAUSCALE_NCCL
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL  // opens the header
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "causcale/error.h"
#include "train/process_group_backend.h"

namespace causcale {

#ifdef CAUSCALE_NCCL

bool nccl_built() {
  return true;
}

std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace& place) {
  using Nccl = c10d::ProcessGroupNCCL;
  const auto options = Nccl::Options::create();
  options->timeout = place.timeout;
  return std::make_unique<C10dBackend<Nccl>>(place.store, place.rank, place.size, options);
}

#else

bool nccl_built() {
  return false;
}

std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace&) {
  throw UsageError(
      "several processes on GPUs need NCCL, whose header nccl.h was not found when this program was built: "
      "configure with -DNCCL_INCLUDE=<folder of nccl.h>, or train with one process");
}

#endif

}  // namespace causcale
