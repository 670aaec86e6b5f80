#include "core/cpu/network_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "base/thread_pool.h"
#include "causcale/error.h"
#include "core/arena.h"
#include "core/cpu/pass_cpu.h"

namespace causcale::core {

bool runs_on_the_core(const ModelConfig& config) {
  return config.architecture == Architecture::kCauScale && config.attention == AttentionKind::kTied &&
         config.head == HeadKind::kPairwise;
}

template <class T>
CpuNetwork<T>::CpuNetwork(const ModelConfig& config, const StoredWeights& weights, Isa isa)
    : CpuNetwork(config, weights, kernels_for<T>(isa), kernels_for<float>(isa)) {}

template <class T>
CpuNetwork<T>::CpuNetwork(const ModelConfig& config, const StoredWeights& weights, const Kernels<T>& kernels,
                          const Kernels<float>& floats)
    : config_(config), kernels_(kernels), floats_(floats) {
  if (!runs_on_the_core(config))
    throw InputError("a model with vanilla attention or the vanilla head runs in the training library only");
  weights_ = std::make_unique<const PackedWeights<T>>(pack_weights(weights, kernels_));
}

template <class T>
CpuNetwork<T>::~CpuNetwork() = default;

template <class T>
PassPlan CpuNetwork<T>::plan(std::int64_t rows, std::int64_t columns, int threads,
                             std::int64_t max_bytes) const {
  // A few heads at a time cost little where a grid is large; their channels must be whole panels.
  constexpr std::int64_t kUsualKeyValueBytes = std::int64_t{256} << 20;
  PassPlan chosen;
  for (std::int64_t heads = config_.heads; heads >= 1; heads = heads % 2 == 0 ? heads / 2 : 0) {
    if (heads < config_.heads && heads * config_.head_dim() % kernels_.panel != 0) break;
    ArenaPlan memory;
    const Workspace<T, ArenaPlan> counted(config_, rows, columns, heads, threads, kernels_, memory);
    chosen = {memory.bytes(), heads};
    const AttentionShape<T> shape(rows, columns, config_.embed_dim, config_.heads, MixedAxis::kRows,
                                  kernels_);
    const std::int64_t key_values =
        heads * (shape.key_plane + shape.value_plane) * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t limit = max_bytes > 0 ? max_bytes : std::numeric_limits<std::int64_t>::max();
    if (memory.bytes() <= limit && (max_bytes > 0 || key_values <= kUsualKeyValueBytes)) break;
  }
  return chosen;
}

template <class T>
Network::Memory CpuNetwork<T>::memory(std::int64_t rows, std::int64_t columns, int threads,
                                      std::int64_t max_bytes) const {
  return {plan(rows, columns, threads, max_bytes).bytes, plan(rows, columns, threads, 1).bytes};
}

template <class T>
std::int64_t CpuNetwork<T>::weight_bytes() const {
  const double d = config_.embed_dim, ffn = config_.ffn_dim;
  const double axial = 8 * d * d, per_block = 3 * axial + 2 * 2 * d * ffn + 2 * d * d + 4 * d * d + d * d;
  return static_cast<std::int64_t>(config_.blocks * per_block * sizeof(T));
}

// Measured by a product of the size that the network has most of, in a few milliseconds: what a processor can
// do depends on more than its name. A pass reaches about three quarters of it.
template <class T>
double CpuNetwork<T>::expected_flops(int threads) const {
  constexpr std::int64_t kSize = 128, kRepetitions = 20;
  constexpr double kShare = 0.75;
  const std::int64_t depth = kernels_.rounded_depth(kSize);
  const std::vector<T> a(static_cast<std::size_t>(kSize * depth)),
      b(static_cast<std::size_t>(kernels_.packed_size(kSize, kSize)));
  std::vector<float> c(kSize * kSize);
  double best = 0.0;
  for (int trial = 0; trial < 3; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t k = 0; k < kRepetitions; ++k)
      kernels_.multiply(kSize, kSize, kSize, a.data(), depth, b.data(), depth * kernels_.panel, c.data(),
                        kSize, k > 0);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kSize * kSize * kSize * kRepetitions / std::max(1e-9, took.count()));
  }
  return kShare * best * std::min(threads, resolve_threads(0));
}

template <class T>
std::vector<PairProbabilities> CpuNetwork<T>::pair_probabilities(const NetworkInput& input,
                                                                 const PassOptions& options) const {
  const std::int64_t B = input.tables, m = input.rows, n = input.columns, V = input.views;
  const int threads = resolve_threads(options.threads);
  const PassPlan chosen = plan(m, n, threads, options.max_bytes);
  Arena arena(chosen.bytes);
  std::vector<PairProbabilities> results;
  for (std::int64_t k = 0; k < V * B; ++k) {
    const std::int64_t b = k % B;
    arena.clear();
    Pass<T> pass(config_, *weights_, kernels_, floats_, m, n, chosen.heads_at_a_time, threads, arena,
                 nullptr);
    results.push_back(pass.run(
        input.data.data() + b * m * n * config_.channels.data_width(), input.prior.data() + b * n * n,
        input.pairs.data() + b * n * n * config_.channels.pair_width(),
        input.signs.empty() ? nullptr : input.signs.data() + k * n, options.symmetrised, [&](double share) {
          if (options.progress)
            options.progress((static_cast<double>(k) + share) / static_cast<double>(V * B));
        }));
  }
  return results;
}

template <class T>
PairProbabilities CpuNetwork<T>::traced_probabilities(const NetworkInput& input, const PassOptions& options,
                                                      const Trace& trace) const {
  const int threads = resolve_threads(options.threads);
  const PassPlan chosen = plan(input.rows, input.columns, threads, options.max_bytes);
  Arena arena(chosen.bytes);
  Pass<T> pass(config_, *weights_, kernels_, floats_, input.rows, input.columns, chosen.heads_at_a_time,
               threads, arena, &trace);
  return pass.run(input.data.data(), input.prior.data(), input.pairs.data(),
                  input.signs.empty() ? nullptr : input.signs.data(), options.symmetrised, {});
}

template class CpuNetwork<float>;
template class CpuNetwork<Bf16>;

}  // namespace causcale::core
