#include "causcale/error.h"
#include "learn/data/gpu_batches.h"

namespace causcale {

struct GpuBatchMaker::Stream {};

bool GpuBatchMaker::supports(at::Device) {
  return false;
}

GpuBatchMaker::GpuBatchMaker(at::Device device) : device_(device) {
  throw UsageError(
      "\"simulate_on\": \"gpu\" needs a build with CUDA and a CUDA device of compute capability 9.0; "
      "accepted here: \"cpu\", \"auto\"");
}

GpuBatchMaker::~GpuBatchMaker() = default;

Batch GpuBatchMaker::make(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed) {
  return make_batch(examples, plan, seed, false);
}

void GpuBatchMaker::hand_over(const Batch&) const {}

}  // namespace causcale
