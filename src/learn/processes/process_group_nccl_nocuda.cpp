#include "causcale/error.h"
#include "learn/processes/process_group_backend.h"

namespace causcale {

bool nccl_built() {
  return false;
}

std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace&) {
  throw UsageError("several processes on GPUs need NCCL, and this build has no CUDA");
}

}  // namespace causcale
