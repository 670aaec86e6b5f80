// A block makes one experiment: a thread for every gene of a depth and cell type, which meet between depths;
// then a second kernel turns expression into counts. Built without fused multiply-add (CMakeLists.txt): the
// host's bits.
#include "ops/cuda/check.h"
#include "simulate/count_sampler.h"
#include "train/gpu_sergio.h"

namespace causcale::cuda {
namespace {

constexpr int kExpressionThreads = 128;
constexpr int kCountThreads = 256;

struct BlockTeam {
  template <class Work>
  __device__ void share(int count, const Work& work) const {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) work(i);
  }
  __device__ void sync() const { __syncthreads(); }
  template <class Work>
  __device__ void for_each(int count, const Work& work) const {
    share(count, work);
    sync();
  }
  template <class Work>
  __device__ void once(const Work& work) const {
    if (threadIdx.x == 0) work();
    sync();
  }
  __device__ void add(std::uint32_t* counter, std::uint32_t value) const { atomicAdd(counter, value); }
  __device__ void least(std::uint64_t* place, std::uint64_t value) const {
    atomicMin(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(value));
  }
};

__global__ void __launch_bounds__(kExpressionThreads)
    expression_kernel(PackedSergioView view, int first_experiment, SergioBuffers buffers) {
  const BlockTeam team;
  ExperimentRun(team, view, first_experiment + static_cast<int>(blockIdx.x), buffers).run();
}

__global__ void __launch_bounds__(kCountThreads) count_kernel(PackedSergioView view, SergioBuffers buffers) {
  __shared__ CountScratch scratch;
  const BlockTeam team;
  const int experiment = static_cast<int>(blockIdx.x);
  if (!view.groups[view.experiments[experiment].group].noisy) return;
  CountRun(team, view, experiment, buffers, scratch).run();
}

}  // namespace

void simulate_sergio_on_device(const PackedSergioView& view, std::span<const SergioWave> waves,
                               const SergioBuffers& buffers, void* stream) {
  if (waves.empty()) return;
  const auto on = static_cast<cudaStream_t>(stream);
  for (const SergioWave& wave : waves) {
    expression_kernel<<<static_cast<unsigned>(wave.experiments), kExpressionThreads, 0, on>>>(
        view, wave.first_experiment, buffers);
    check_launch("expression_kernel");
  }
  const auto experiments = static_cast<unsigned>(waves.back().first_experiment + waves.back().experiments);
  count_kernel<<<experiments, kCountThreads, 0, on>>>(view, buffers);
  check_launch("count_kernel");
}

}  // namespace causcale::cuda
