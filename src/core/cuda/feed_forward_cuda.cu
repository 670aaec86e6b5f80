// The fused feed-forward network. Tokens stay in registers from the layer norm to the residual; the weights
// pass through a ring of shared-memory stages, one stage to 64 hidden channels, shared by the warpgroups of a
// block. Each warpgroup hands the matrix unit the second product of one chunk together with the first of the
// next, so that its GELU overlaps with the products of the others.
#include "core/cuda/check.h"
#include "core/cuda/feed_forward_kernels.h"
#include "core/cuda/fragment.cuh"

namespace causcale::cuda {
namespace {

constexpr int kMatrixBytes = kHiddenChunk * kChannels * 2;  // of one chunk of W1 or W2
constexpr int kStageBytes = 2 * kMatrixBytes;
constexpr int kStages = 192 * 1024 / kStageBytes;
constexpr int kHiddenGroups = kHiddenChunk / 32;
constexpr int kUpBlock = kHiddenChunk * 128;  // distance between the 64-column blocks of a chunk of W1
constexpr int kDownBlock = kChannels * 128;
constexpr int kMaxWidth = 1024;

// What one thread of each warpgroup knows about the ring of weights; in memory to spare everybody's
// registers.
struct RingState {
  std::uint32_t unfetched;       // chunks of this block that are still to be fetched
  int next_chunk;                // the one to fetch next
  std::uint32_t emptied_parity;  // parity of each stage's next emptying, a bit each
  int released[2];               // chunks that each warpgroup has released, counted up to 2
};

struct SharedMemory {
  char stages[kStages][kStageBytes];
  float gamma[kChannels], beta[kChannels], down_bias[kChannels], up_bias[kMaxWidth];
  std::uint64_t full[kStages], empty[kStages];
  RingState ring;
};

__device__ __forceinline__ SharedMemory& shared_memory() {
  return *reinterpret_cast<SharedMemory*>(dynamic_shared);
}

// The normal distribution function as (1 + tanh(p(x))) / 2 with an odd polynomial p fitted to erf: |x| times
// the error stays below 3e-5, far under bf16's rounding, for a third of erff's instructions.
__device__ __forceinline__ float normal_cdf(float x) {
  const float z = fminf(x * x, 36.f);
  const float p = x * (0.7975078827f + z * (0.0370056473f - z * 0.000351516992f));
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(p));
  return 0.5f + 0.5f * t;
}
__device__ __forceinline__ float normal_density(float x) {
  float e;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x * x * -0.7213475204f));
  return 0.3989422804f * e;
}

// The stream of weight chunks: the chunks of the matrices in order, again for every tile. All stages are
// filled ahead; when they hold every chunk, nothing is ever fetched again. Every warpgroup walks along the
// stream on its own.
struct WeightRing {
  const char *up, *down;
  int chunks;
  int stage = 0;  // where this warpgroup is
  std::uint32_t parity = 0;

  __device__ WeightRing(const void* packed_up, const void* packed_down, int chunk_count)
      : up(static_cast<const char*>(packed_up)),
        down(static_cast<const char*>(packed_down)),
        chunks(chunk_count) {}

  __device__ bool resident() const { return chunks <= kStages; }
  __device__ static std::uint32_t full(int i) { return shared_address(shared_memory().full) + 8 * i; }
  __device__ static std::uint32_t empty(int i) { return shared_address(shared_memory().empty) + 8 * i; }
  __device__ static std::uint32_t memory(int i) {
    return shared_address(shared_memory().stages) + i * kStageBytes;
  }

  __device__ void fill(int target, int chunk) const {
    barrier_expect(full(target), kStageBytes);
    bulk_copy(memory(target), up + chunk * kMatrixBytes, kMatrixBytes, full(target));
    bulk_copy(memory(target) + kMatrixBytes, down + chunk * kMatrixBytes, kMatrixBytes, full(target));
  }

  __device__ void start(int warpgroups, std::uint32_t tiles) const {
    if (threadIdx.x == 0) {
      for (int i = 0; i < kStages; ++i) {
        barrier_init(full(i), 1);
        barrier_init(empty(i), warpgroups);
      }
      barrier_init_fence();
      const std::uint32_t total = resident() ? chunks : tiles * chunks;
      const int ahead = total < kStages ? total : kStages;
      shared_memory().ring = {total - ahead, ahead % chunks, 0, {0, 0}};
      for (int i = 0; i < ahead; ++i) fill(i, i);
    }
    __syncthreads();
  }

  // Address of the current chunk, once it has arrived.
  __device__ std::uint32_t acquire() const {
    barrier_wait(full(stage), resident() ? 0 : parity);
    return memory(stage);
  }

  __device__ void advance() {
    if (++stage == (resident() ? chunks : kStages)) {
      stage = 0;
      parity ^= 1;
    }
  }

  // Marks the chunk before the current one, if any, as read by this warpgroup. One thread then fetches a new
  // chunk into the stage before that one: the other warpgroups have finished with it or will very soon.
  __device__ void release_previous() const {
    if (resident() || threadIdx.x % 128 != 0) return;
    RingState& state = shared_memory().ring;
    int& released = state.released[threadIdx.x / 128];
    const int previous = stage == 0 ? kStages - 1 : stage - 1;
    if (released > 0) barrier_arrive(empty(previous));
    if (released < 2) {
      ++released;
    } else if (threadIdx.x == 0 && state.unfetched > 0) {
      const int emptied = previous == 0 ? kStages - 1 : previous - 1;
      barrier_wait(empty(emptied), (state.emptied_parity >> emptied) & 1);
      state.emptied_parity ^= 1u << emptied;
      fill(emptied, state.next_chunk);
      state.next_chunk = state.next_chunk + 1 == chunks ? 0 : state.next_chunk + 1;
      --state.unfetched;
    }
  }
};

// Asks the L2 cache for a warpgroup's next 64 tokens, one 128-byte line a thread.
__device__ __forceinline__ void prefetch_rows(const void* x, std::uint32_t first, std::uint32_t tokens) {
  const std::uint32_t token = first + (threadIdx.x % 128) / 2;
  const char* line = static_cast<const char*>(x) + std::int64_t{token} * 256 + (threadIdx.x % 2) * 128;
  if (token < tokens) asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
}

constexpr int kForwardWarpgroups = 2;

// Layer norm of the tokens from `first` on (none beyond the last token), and a hint for the tile after it.
__device__ __forceinline__ void load_normed(Pieces<4>& normed, const FeedForward& args,
                                            const SharedMemory& shared, std::uint32_t first,
                                            const Lane& lane) {
  TokenPlace place[2];
  locate(place, first + lane.row, args.tokens);
  load_rows(normed, static_cast<const bf16*>(args.x), place, lane.quarter);
  prefetch_rows(args.x, first + gridDim.x * kForwardWarpgroups * kTileTokens, args.tokens);
  float mean[2], rstd[2];
  layer_norm(normed, shared.gamma, shared.beta, lane.quarter, kEpsilon, mean, rstd);
  if (args.mean != nullptr && lane.quarter == 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (place[half].valid) {
        args.mean[place[half].token] = mean[half];
        args.rstd[place[half].token] = rstd[half];
      }
    }
  }
}

__device__ __forceinline__ void store_output(const float (&out)[64], const FeedForward& args,
                                             const SharedMemory& shared, std::uint32_t first,
                                             const Lane& lane) {
  TokenPlace place[2];
  locate(place, first + lane.row, args.tokens);
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    float offset[8];
    load_eight(shared.down_bias + 32 * g + 8 * lane.quarter, offset);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (!place[half].valid) continue;
      const std::int64_t piece = place[half].token * 16 + 4 * g + lane.quarter;
      float values[8], passed[8];
      accumulator_piece(out, g, half, values);
      unpack(load_piece(args.x, piece), passed);
#pragma unroll
      for (int e = 0; e < 8; ++e) values[e] += offset[e] + passed[e];
      store_piece(args.y, piece, pack(values));
    }
  }
}

__global__ __launch_bounds__(kForwardWarpgroups * 128, 1) void feed_forward_kernel(FeedForward args,
                                                                                   std::uint32_t tiles) {
  SharedMemory& shared = shared_memory();
  widen(shared.gamma, static_cast<const bf16*>(args.norm_weight), kChannels);
  widen(shared.beta, static_cast<const bf16*>(args.norm_bias), kChannels);
  widen(shared.down_bias, static_cast<const bf16*>(args.down_bias), kChannels);
  widen(shared.up_bias, static_cast<const bf16*>(args.up_bias), args.width);
  const int chunks = args.width / kHiddenChunk;
  const std::uint32_t own_tiles = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
  WeightRing ring(args.up, args.down, chunks);
  ring.start(kForwardWarpgroups, own_tiles);

  const Lane lane(threadIdx.x % 128);
  const std::uint32_t step = gridDim.x * kForwardWarpgroups * kTileTokens;
  std::uint32_t first = (blockIdx.x * kForwardWarpgroups + threadIdx.x / 128) * kTileTokens;
  Pieces<4> normed;
  load_normed(normed, args, shared, first, lane);
  float hidden[kHiddenChunk / 2], out[64];
  std::uint32_t weights = ring.acquire();
  pin_registers(hidden);
  wgmma_fence();
  multiply_by_rows(hidden, normed, weights, kUpBlock, false);
  wgmma_commit();
  int chunk = 0;
#pragma unroll 1
  for (std::uint32_t left = own_tiles * chunks; left > 0; --left) {
    wgmma_wait<0>();
    pin_registers(hidden);
    pin_registers(out);
    ring.release_previous();
    if (chunk == chunks) {
      store_output(out, args, shared, first, lane);
      first += step;
      chunk = 0;
    }
    Pieces<kHiddenGroups> activation;
#pragma unroll
    for (int g = 0; g < kHiddenGroups; ++g) {
      float offset[8];
      load_eight(shared.up_bias + chunk * kHiddenChunk + 32 * g + 8 * lane.quarter, offset);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float values[8];
        accumulator_piece(hidden, g, half, values);
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          const float h = values[e] + offset[e];
          values[e] = h * normal_cdf(h);
        }
        activation.v[g][half] = pack(values);
      }
    }
    if (chunk + 1 == chunks) load_normed(normed, args, shared, first + step, lane);
    ring.advance();
    const std::uint32_t next = left > 1 ? ring.acquire() : weights;
    pin_registers(hidden);
    pin_registers(out);
    wgmma_fence();
    multiply_by_rows(out, activation, weights + kMatrixBytes, kDownBlock, chunk > 0);
    multiply_by_rows(hidden, normed, next, kUpBlock, false);
    wgmma_commit();
    weights = next;
    ++chunk;
  }
  wgmma_wait<0>();
  pin_registers(out);
  store_output(out, args, shared, first, lane);
}

constexpr int kBackwardWarpgroups = 2;

__global__ __launch_bounds__(kBackwardWarpgroups * 128,
                             1) void feed_forward_backward_kernel(FeedForwardBackward args,
                                                                  std::uint32_t tiles) {
  SharedMemory& shared = shared_memory();
  widen(shared.gamma, static_cast<const bf16*>(args.norm_weight), kChannels);
  widen(shared.beta, static_cast<const bf16*>(args.norm_bias), kChannels);
  widen(shared.up_bias, static_cast<const bf16*>(args.up_bias), args.width);
  const int chunks = args.width / kHiddenChunk;
  const std::uint32_t own_tiles = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
  WeightRing ring(args.up, args.down, chunks);
  ring.start(kBackwardWarpgroups, own_tiles);

  const Lane lane(threadIdx.x % 128);
  const int row_pieces = args.width / 8;
  const std::uint32_t step = gridDim.x * kBackwardWarpgroups * kTileTokens;
  std::uint32_t first = (blockIdx.x * kBackwardWarpgroups + threadIdx.x / 128) * kTileTokens;
  for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x, first += step) {
    TokenPlace place[2];
    locate(place, first + lane.row, args.tokens);
    Pieces<4> normed, gradient;
    load_rows(normed, static_cast<const bf16*>(args.x), place, lane.quarter);
    load_rows(gradient, static_cast<const bf16*>(args.dy), place, lane.quarter);
    prefetch_rows(args.x, first + step, args.tokens);
    prefetch_rows(args.dy, first + step, args.tokens);
    float mean[2], rstd[2];
    layer_norm(normed, shared.gamma, shared.beta, lane.quarter, kEpsilon, mean, rstd);
    float hidden[kHiddenChunk / 2], d_activation[kHiddenChunk / 2], d_normed[64];
    std::uint32_t weights = ring.acquire();
    pin_registers(hidden);
    pin_registers(d_activation);
    wgmma_fence();
    multiply_by_rows(hidden, normed, weights, kUpBlock, false);
    multiply_by_columns(d_activation, gradient, weights + kMatrixBytes, kDownBlock, false);
    wgmma_commit();
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk) {
      wgmma_wait<0>();
      pin_registers(hidden);
      pin_registers(d_activation);
      pin_registers(d_normed);
      ring.release_previous();
      Pieces<kHiddenGroups> d_hidden;
#pragma unroll
      for (int g = 0; g < kHiddenGroups; ++g) {
        float offset[8];
        load_eight(shared.up_bias + chunk * kHiddenChunk + 32 * g + 8 * lane.quarter, offset);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float values[8], slope[8];
          accumulator_piece(hidden, g, half, values);
          accumulator_piece(d_activation, g, half, slope);
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            const float h = values[e] + offset[e];
            const float cdf = normal_cdf(h);
            slope[e] *= cdf + h * normal_density(h);
            values[e] = h * cdf;
          }
          d_hidden.v[g][half] = pack(slope);
          if (place[half].valid) {
            const std::int64_t piece =
                place[half].token * row_pieces + chunk * (kHiddenChunk / 8) + 4 * g + lane.quarter;
            store_piece(args.activation, piece, pack(values));
            store_piece(args.d_hidden, piece, d_hidden.v[g][half]);
          }
        }
      }
      const bool last = chunk + 1 == chunks;
      ring.advance();
      const std::uint32_t next = last ? weights : ring.acquire();
      pin_registers(hidden);
      pin_registers(d_activation);
      pin_registers(d_normed);
      wgmma_fence();
      multiply_by_columns(d_normed, d_hidden, weights, kUpBlock, chunk > 0);
      if (!last) {
        multiply_by_rows(hidden, normed, next, kUpBlock, false);
        multiply_by_columns(d_activation, gradient, next + kMatrixBytes, kDownBlock, false);
      }
      wgmma_commit();
      weights = next;
    }
    wgmma_wait<0>();
    pin_registers(d_normed);
    store_norm_backward(d_normed, static_cast<const bf16*>(args.x), static_cast<const bf16*>(args.dy),
                        args.mean, args.rstd, shared.gamma, static_cast<bf16*>(args.dx), place, lane.quarter);
  }
}

std::uint32_t tiles_for(std::int64_t tokens, int warpgroups) {
  const std::int64_t tile = std::int64_t{warpgroups} * kTileTokens;
  return static_cast<std::uint32_t>((tokens + tile - 1) / tile);
}

unsigned blocks_for(std::uint32_t tiles) {
  const auto available = static_cast<std::uint32_t>(multiprocessors());
  return tiles < available ? tiles : available;
}

void check_width(int width) {
  if (width % kHiddenChunk != 0 || width > kMaxWidth) {
    throw Error("feed_forward: hidden width " + std::to_string(width) +
                " is not a multiple of 64 up to 1024");
  }
}

}  // namespace

void feed_forward(const FeedForward& args, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return feed_forward_fp32(args, stream);
  check_width(args.width);
  const std::uint32_t tiles = tiles_for(args.tokens, kForwardWarpgroups);
  allow_shared_memory(feed_forward_kernel, sizeof(SharedMemory));
  feed_forward_kernel<<<blocks_for(tiles), kForwardWarpgroups * 128, sizeof(SharedMemory), stream>>>(args,
                                                                                                     tiles);
  check_launch("feed_forward");
}

void feed_forward_backward(const FeedForwardBackward& args, Storage storage, cudaStream_t stream) {
  if (storage == Storage::kFloat) return feed_forward_backward_fp32(args, stream);
  check_width(args.width);
  const std::uint32_t tiles = tiles_for(args.tokens, kBackwardWarpgroups);
  allow_shared_memory(feed_forward_backward_kernel, sizeof(SharedMemory));
  feed_forward_backward_kernel<<<blocks_for(tiles), kBackwardWarpgroups * 128, sizeof(SharedMemory),
                                 stream>>>(args, tiles);
  check_launch("feed_forward_backward");
}

}  // namespace causcale::cuda
