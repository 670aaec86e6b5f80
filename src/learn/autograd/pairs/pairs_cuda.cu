// Every cell off the diagonal belongs to exactly one half of one pair, so both directions are copies.
#include <algorithm>
#include <cstdint>

#include "core/cuda/check.h"
#include "core/cuda/token_map.h"
#include "learn/autograd/pairs/pairs_kernels.h"

namespace causcale::cuda {
namespace {

constexpr int kThreads = 256;

struct Cells {
  std::uint32_t count;  // pieces of all cells
  std::uint32_t nodes;
  std::int64_t pairs;
  FastDivide by_pieces, by_nodes;
  bool reversed;

  explicit Cells(const PairShape& shape)
      : count(static_cast<std::uint32_t>(shape.batch * shape.nodes * shape.nodes * shape.pieces)),
        nodes(static_cast<std::uint32_t>(shape.nodes)),
        pairs(shape.nodes * (shape.nodes - 1) / 2),
        by_pieces(static_cast<std::uint32_t>(shape.pieces)),
        by_nodes(nodes),
        reversed(shape.reversed) {}

  // Where piece `index` of the cells lies among the joined pieces; -1 on the diagonal.
  __device__ __forceinline__ std::int64_t joined(std::uint32_t index) const {
    const std::uint32_t cell = by_pieces.quotient(index), piece = index - cell * by_pieces.divisor;
    const std::uint32_t line = by_nodes.quotient(cell), column = cell - line * nodes;
    const std::uint32_t batch = by_nodes.quotient(line), row = line - batch * nodes;
    if (row == column) return -1;
    const std::int64_t low = min(row, column), high = max(row, column);
    const std::int64_t pair = low * (2 * std::int64_t{nodes} - low - 1) / 2 + (high - low - 1);
    const bool second = (row > column) != reversed;
    return ((batch * pairs + pair) * 2 + (second ? 1 : 0)) * by_pieces.divisor + piece;
  }
};

__global__ __launch_bounds__(kThreads) void join_pairs_kernel(const uint4* graph, uint4* joined,
                                                              Cells cells) {
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < cells.count; i += gridDim.x * kThreads) {
    const std::int64_t target = cells.joined(i);
    if (target >= 0) joined[target] = __ldg(graph + i);
  }
}

__global__ __launch_bounds__(kThreads) void part_pairs_kernel(const uint4* joined, uint4* graph,
                                                              Cells cells) {
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < cells.count; i += gridDim.x * kThreads) {
    const std::int64_t source = cells.joined(i);
    graph[i] = source >= 0 ? __ldg(joined + source) : uint4{0, 0, 0, 0};
  }
}

unsigned blocks_for(std::uint32_t count) {
  const std::uint32_t wanted = (count + kThreads - 1) / kThreads;
  return std::min(wanted, static_cast<std::uint32_t>(multiprocessors()) * 16);
}

}  // namespace

void join_pairs(const void* graph, void* joined, const PairShape& shape, cudaStream_t stream) {
  const Cells cells(shape);
  join_pairs_kernel<<<blocks_for(cells.count), kThreads, 0, stream>>>(static_cast<const uint4*>(graph),
                                                                      static_cast<uint4*>(joined), cells);
  check_launch("join_pairs");
}

void part_pairs(const void* joined, void* graph, const PairShape& shape, cudaStream_t stream) {
  const Cells cells(shape);
  part_pairs_kernel<<<blocks_for(cells.count), kThreads, 0, stream>>>(static_cast<const uint4*>(joined),
                                                                      static_cast<uint4*>(graph), cells);
  check_launch("part_pairs");
}

}  // namespace causcale::cuda
