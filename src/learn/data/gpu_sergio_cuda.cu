// A block makes one experiment: a thread for every gene of a depth and cell type, which meet between depths;
// then a second kernel turns expression into counts. Built without fused multiply-add (CMakeLists.txt): the
// host's bits.
#include "core/cuda/check.h"
#include "learn/data/gpu_sergio.h"
#include "simulate/count_sampler.h"

namespace causcale::cuda {
namespace {

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

// kBlocks of kThreads share a multiprocessor.
template <int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks)
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

template <int kThreads, int kBlocks>
void launch_expression(const PackedSergioView& view, const SergioWave& wave, const SergioBuffers& buffers,
                       cudaStream_t stream) {
  expression_kernel<kThreads, kBlocks><<<static_cast<unsigned>(wave.experiments), kThreads, 0, stream>>>(
      view, wave.first_experiment, buffers);
  check_launch("expression_kernel");
}

}  // namespace

void simulate_sergio_on_device(const PackedSergioView& view, std::span<const SergioWave> waves,
                               const SergioBuffers& buffers, void* stream) {
  if (waves.empty()) return;
  const auto on = static_cast<cudaStream_t>(stream);
  const int processors = multiprocessors();
  for (const SergioWave& wave : waves) {
    // Wide blocks take all genes of a depth at once; with many experiments, narrow ones run side by side.
    if (wave.experiments <= processors)
      launch_expression<512, 1>(view, wave, buffers, on);
    else if (wave.experiments <= 3 * processors)
      launch_expression<256, 3>(view, wave, buffers, on);
    else
      launch_expression<128, 7>(view, wave, buffers, on);
  }
  const auto experiments = static_cast<unsigned>(waves.back().first_experiment + waves.back().experiments);
  count_kernel<<<experiments, kCountThreads, 0, on>>>(view, buffers);
  check_launch("count_kernel");
}

}  // namespace causcale::cuda
