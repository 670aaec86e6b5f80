#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "causcale/error.h"
#include "core/cuda/check.h"
#include "learn/data/gpu_batches.h"
#include "learn/data/gpu_sampler.h"
#include "learn/data/gpu_sergio.h"

namespace causcale {

struct GpuBatchMaker::Stream {
  c10::cuda::CUDAStream side;
};

bool GpuBatchMaker::supports(at::Device device) {
  if (!device.is_cuda()) return false;
  int major = 0;
  const int number = device.has_index() ? device.index() : c10::cuda::current_device();
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number),
              "cudaDeviceGetAttribute");
  return major == 9;
}

GpuBatchMaker::GpuBatchMaker(at::Device device) : device_(device) {
  if (!supports(device))
    throw UsageError(
        "\"simulate_on\": \"gpu\" needs training on a CUDA device of compute capability 9.0, "
        "but it runs on " +
        device.str() + "; accepted there: \"cpu\", \"auto\"");
  stream_ = std::make_unique<Stream>(
      Stream{c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())});
}

GpuBatchMaker::~GpuBatchMaker() = default;

Batch GpuBatchMaker::make(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed) {
  const c10::cuda::CUDAGuard on_device(device_);  // pinned memory belongs to a device's context too
  const BatchRecipe recipe = prepare_batch(examples, plan, seed, /*pinned=*/true);
  const std::lock_guard turn(turn_);
  const c10::cuda::CUDAStreamGuard on_side(stream_->side);
  const c10::NoGradGuard no_grad;
  const auto options = at::TensorOptions().device(device_);
  const PackedModels& packed = recipe.packed;
  const std::int64_t columns = packed.columns(), entries = static_cast<std::int64_t>(packed.entries());
  const std::int64_t width = columns > 0 ? entries / columns : 0;
  const at::Tensor values = at::empty({columns, width}, options.dtype(at::kFloat));
  const at::Tensor flags = at::empty({columns, width}, options.dtype(at::kByte));
  if (columns > 0) {
    const at::Tensor bytes = recipe.packed_bytes.to(device_, /*non_blocking=*/true);
    const at::Tensor scales = at::empty({columns, 2}, options.dtype(at::kFloat));
    static_assert(sizeof(ColumnScale) == 2 * sizeof(float));
    cuda::sample_packed_on_device(packed.view(static_cast<std::byte*>(bytes.data_ptr())),
                                  {values.data_ptr<float>(), flags.data_ptr<std::uint8_t>(),
                                   static_cast<ColumnScale*>(scales.data_ptr())},
                                  stream_->side.stream());
  }
  const SergioMemory memory(recipe.expression.packed.sizes(), device_);
  if (!recipe.expressed.empty()) {
    const PackedSergio& expression = recipe.expression.packed;
    const at::Tensor bytes = recipe.expression.packed_bytes.to(device_, /*non_blocking=*/true);
    cuda::simulate_sergio_on_device(expression.view(static_cast<const std::byte*>(bytes.data_ptr())),
                                    expression.waves(), memory.buffers(), stream_->side.stream());
  }
  Batch batch = finish_batch(recipe, {values, flags, memory.cells()});
  // The host's buffers are free again and the batch is ready for any stream.
  stream_->side.synchronize();
  return batch;
}

void GpuBatchMaker::hand_over(const Batch& batch) const {
  const c10::Stream user = c10::cuda::getCurrentCUDAStream(device_.index()).unwrap();
  for (const at::Tensor& tensor :
       {batch.input.data, batch.input.prior, batch.input.pairs, batch.adjacency, batch.labels})
    if (tensor.defined()) tensor.record_stream(user);
}

}  // namespace causcale
