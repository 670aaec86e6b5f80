// A cluster of four blocks makes one data set: nodes in topological order, a thread for every four rows. A
// thread reads only values that it wrote itself, so blocks meet only where a mechanism needs mean and
// deviation of a whole column. Built without fused multiply-add (CMakeLists.txt): the host's bits.
#include <cooperative_groups.h>

#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/warp_sum.cuh"
#include "learn/data/gpu_sampler.h"

namespace causcale::cuda {
namespace {

namespace cg = cooperative_groups;

constexpr int kClusterBlocks = 4;
constexpr int kWarp = 32;
constexpr int kMostThreads = 256;

// Sums of all threads of the cluster, in a fixed order; every thread gets them.
__device__ ColumnSums cluster_sum(ColumnSums mine) {
  __shared__ double warps[kMostThreads / kWarp][2];
  __shared__ double block[2];
  const cg::cluster_group cluster = cg::this_cluster();
  mine.sum = warp_sum(mine.sum);
  mine.squares = warp_sum(mine.squares);
  if (threadIdx.x % kWarp == 0) {
    warps[threadIdx.x / kWarp][0] = mine.sum;
    warps[threadIdx.x / kWarp][1] = mine.squares;
  }
  __syncthreads();
  if (threadIdx.x < 2) {
    double total = 0.0;
    for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) total += warps[warp][threadIdx.x];
    block[threadIdx.x] = total;
  }
  cluster.sync();
  ColumnSums all;
  for (unsigned rank = 0; rank < kClusterBlocks; ++rank) {
    const double* other = cluster.map_shared_rank(block, rank);
    all.sum += other[0];
    all.squares += other[1];
  }
  cluster.sync();  // nobody overwrites `block`, or ends, while others still read it
  return all;
}

__global__ void __launch_bounds__(kMostThreads) sample_kernel(PackedView view, SampledColumns out) {
  const int rank = static_cast<int>(blockIdx.x) % kClusterBlocks;
  const PackedDataset dataset = view.datasets[blockIdx.x / kClusterBlocks];
  const int lanes = view.lanes(), step = kClusterBlocks * static_cast<int>(blockDim.x);
  const int first_lane = rank * static_cast<int>(blockDim.x) + static_cast<int>(threadIdx.x);
  for (int i = dataset.first_node; i < dataset.end_node; ++i) {
    const PackedNode& node = view.nodes[i];
    const NodeMechanism mechanism = node.mechanism;
    if (mechanism.parents > 0 && standardizes_inputs(mechanism.kind)) {
      // Each block writes the same numbers for its own threads to read.
      for (int p = threadIdx.x; p < mechanism.parents; p += blockDim.x)
        set_input_scale(view, node, p, out.scales);
      __syncthreads();
    }
    for (int lane = first_lane; lane < lanes; lane += step)
      LaneSampler(view, dataset, node, lane, out).sample();
    if (!node.wants_moments) continue;
    ColumnSums sums;
    const float* column = out.values + static_cast<std::int64_t>(node.column) * kLaneRows * lanes;
    for (int lane = first_lane; lane < lanes; lane += step)
      sums.add_lane(column + kLaneRows * lane, lane, lanes, view.rows);
    const ColumnScale scale = cluster_sum(sums).scale(view.rows);
    if (threadIdx.x == 0) out.scales[node.column] = scale;
    __syncthreads();
  }
}

}  // namespace

void sample_packed_on_device(const PackedView& view, const SampledColumns& out, void* stream) {
  if (view.dataset_count == 0) return;
  const int per_block = (view.lanes() + kClusterBlocks - 1) / kClusterBlocks;
  const int threads = std::min(kMostThreads, (per_block + kWarp - 1) / kWarp * kWarp);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(view.dataset_count) * kClusterBlocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = static_cast<cudaStream_t>(stream);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kClusterBlocks, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, sample_kernel, view, out), "sample_kernel");
}

}  // namespace causcale::cuda
