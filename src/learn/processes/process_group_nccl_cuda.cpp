// NCCL through the functions that libtorch exports for it. Unlike c10d's own class for NCCL they need no
// nccl.h, which PyTorch's packages do not carry; that class' watchdog has a counterpart in ProcessGroup.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <torch/csrc/cuda/nccl.h>

#include <cstring>
#include <vector>

#include "causcale/error.h"
#include "learn/processes/process_group_backend.h"

namespace causcale {

namespace nccl = torch::cuda::nccl;

namespace {

using at::cuda::CUDAEvent;
using at::cuda::CUDAStream;

class NcclPending : public Pending {
 public:
  explicit NcclPending(CUDAEvent done) : done_(std::move(done)) {}
  // The host goes on; work that is handed to the current stream after this comes after the operation.
  void wait() override { done_.block(at::cuda::getCurrentCUDAStream()); }

 private:
  CUDAEvent done_;
};

// The first process draws the name of the group, the others read it.
nccl::ncclUniqueId group_name(const BackendPlace& place) {
  nccl::ncclUniqueId name;
  if (place.rank == 0) {
    nccl::get_unique_id(name);
    place.store->set("nccl", std::vector<std::uint8_t>(name.internal, name.internal + sizeof name.internal));
    return name;
  }
  const std::vector<std::uint8_t> bytes = place.store->get("nccl");
  if (bytes.size() != sizeof name.internal)
    throw Error("the first process runs another version of NCCL than this one");
  std::memcpy(name.internal, bytes.data(), bytes.size());
  return name;
}

class NcclBackend : public CollectiveBackend {
 public:
  // On the current device, which training_device() has set.
  explicit NcclBackend(const BackendPlace& place)
      : size_(place.size),
        group_(nccl::comm_init_rank(place.size, group_name(place), place.rank)),
        stream_(at::cuda::getStreamFromPool(/*isHighPriority=*/true)) {}
  // The group is not destroyed: that would wait for processes that may be gone, and the program ends anyway.

  std::unique_ptr<Pending> sum(const at::Tensor& tensor) override {
    return beside_computation(tensor, [&] {
      std::vector<at::Tensor> result{tensor};
      nccl::all_reduce({tensor}, result, static_cast<std::int32_t>(nccl::ncclRedOp::Sum), {stream_},
                       {group_});
    });
  }
  std::unique_ptr<Pending> broadcast(const at::Tensor& tensor) override {
    return beside_computation(tensor, [&] { nccl::broadcast({tensor}, {stream_}, {group_}); });
  }
  std::unique_ptr<Pending> exchange(const at::Tensor& from, const at::Tensor& to) override {
    return beside_computation(to, [&] {
      at::Tensor input = from, output = to;
      nccl::all2all_single_equal_split(input, output, size_, group_, stream_);
      from.record_stream(stream_);
    });
  }

 private:
  // On a stream of its own, which starts when what is queued so far is done, so that sums of gradients
  // overlap with the rest of the backward pass.
  template <class Operation>
  std::unique_ptr<Pending> beside_computation(const at::Tensor& tensor, const Operation& operation) {
    CUDAEvent ready, done;
    ready.record(at::cuda::getCurrentCUDAStream());
    ready.block(stream_);
    operation();
    tensor.record_stream(stream_);
    done.record(stream_);
    return std::make_unique<NcclPending>(std::move(done));
  }

  int size_;
  nccl::ncclComm_t group_;
  CUDAStream stream_;
};

}  // namespace

bool nccl_built() {
  return nccl::version() != 0;
}

std::unique_ptr<CollectiveBackend> make_nccl_backend(const BackendPlace& place) {
  if (!nccl_built())
    throw UsageError(
        "several processes on GPUs need NCCL, and this libtorch was built without it: use one that has it, "
        "or train "
        "with one process");
  return std::make_unique<NcclBackend>(place);
}

}  // namespace causcale
