// The forward pass shared out over processes, which are threads here, against the pass of one.
#include "learn/networks/sharded_pass.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "causcale/error.h"
#include "learn/networks/causcale.h"
#include "learn/networks/golden_case.h"

namespace causcale::test {
namespace {

// What the threads of a group see of one another.
class Meeting {
 public:
  explicit Meeting(int size) : tensors(size), barrier(size) {}
  std::vector<at::Tensor> tensors;
  std::barrier<> barrier;
};

class ThreadCollectives : public Collectives {
 public:
  ThreadCollectives(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.tensors.size()); }
  void sum(const at::Tensor& tensor) override {
    const at::Tensor total = with_all(tensor, [&] {
      at::Tensor sum = meeting_.tensors[0].clone();
      for (int p = 1; p < size(); ++p) sum.add_(meeting_.tensors[p]);
      return sum;
    });
    tensor.copy_(total);
  }
  void broadcast(const at::Tensor& tensor) override {
    const at::Tensor first = with_all(tensor, [&] { return meeting_.tensors[0].clone(); });
    tensor.copy_(first);
  }
  void exchange(const at::Tensor& from, const at::Tensor& to) override {
    ASSERT_TRUE(from.is_contiguous() && to.is_contiguous() && from.sizes() == to.sizes());
    const at::Tensor mine = with_all(from, [&] {
      std::vector<at::Tensor> parts;
      for (const at::Tensor& tensor : meeting_.tensors) parts.push_back(tensor[rank_]);
      return at::stack(parts);
    });
    to.copy_(mine);
  }

 private:
  template <class Work>
  at::Tensor with_all(const at::Tensor& tensor, const Work& work) {
    meeting_.tensors[rank_] = tensor;
    meeting_.barrier.arrive_and_wait();
    at::Tensor result = work();
    meeting_.barrier.arrive_and_wait();  // nobody writes before all have read
    return result;
  }
  Meeting& meeting_;
  int rank_;
};

ModelConfig little() {
  ModelConfig config;
  config.blocks = 6;
  config.embed_dim = 16;
  config.heads = 4;
  config.ffn_dim = 32;
  config.reference_columns = 3;
  return config;
}

ShardedInput random_input(std::int64_t m, std::int64_t n, const ModelConfig& config) {
  at::manual_seed(static_cast<std::uint64_t>(100 * m + n));
  const std::int64_t P = config.channels.pair_width();
  const at::Tensor root = at::randn({n, n}, at::kDouble);
  return {m, n, at::randn({m, n, config.channels.data_width()}, at::kDouble), at::mm(root, root.t()),
          P > 0 ? at::randn({n, n, P}, at::kDouble) : at::Tensor()};
}

at::Tensor shared(const ModelParams& params, const ModelConfig& config, const ShardedInput& input,
                  const ShardedPassOptions& options, int processes) {
  Meeting meeting(processes);
  std::vector<at::Tensor> results(processes);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank)
    threads.emplace_back([&, rank] {
      ThreadCollectives group(meeting, rank);
      const ShardedInput nothing{input.rows, input.columns, {}, {}, {}};
      results[rank] = pair_probabilities_sharded(params, config, rank == 0 ? input : nothing, options, group);
    });
  for (std::thread& thread : threads) thread.join();
  for (int rank = 1; rank < processes; ++rank) EXPECT_FALSE(results[rank].defined());
  return results[0];
}

at::Tensor alone(const ModelParams& params, const ModelConfig& config, const ShardedInput& input,
                 bool symmetrised) {
  const ModelInput whole{input.data.unsqueeze(0),
                         input.prior.unsqueeze(0),
                         {},
                         {},
                         input.pairs.defined() ? input.pairs.unsqueeze(0) : at::Tensor()};
  return pair_probabilities(params, config, whole, symmetrised)[0];
}

TEST(ShardedPass, EqualsThatOfOneProcess) {
  // Odd sizes; fewer variables than processes, fewer rows than the reductions want.
  const std::vector<std::pair<int, int>> sizes = {{31, 7}, {50, 13}, {3, 5}, {20, 3}, {2, 2}};
  std::vector<ModelConfig> configs(7, little());
  configs[1].head = HeadKind::kVanilla;
  configs[2].pooling = Pooling::kMax;
  configs[2].scale_graph = {false, true};
  configs[3].pooling = Pooling::kNone;
  configs[3].scale_data = {true, false};
  configs[4].channels = {{DataChannel::kMissing}, {PairChannel::kShift, PairChannel::kKnowledge}};
  configs[5].pooling = Pooling::kStrided;
  configs[5].reduction_r = 3;
  configs[5].use_prior = false;
  configs[6].outputs = {PairOutput::kConfounded, PairOutput::kFeedback};
  for (const ModelConfig& config : configs) {
    const ModelParams params = convert_parameters(initialise_parameters(config, 11), at::kCPU, at::kDouble);
    for (const auto& [m, n] : sizes) {
      // The sharded input is sent in single precision or that of the streams, whichever is wider.
      const ShardedInput input = random_input(m, n, config);
      for (const bool symmetrised : {true, false}) {
        const at::Tensor expected = alone(params, config, input, symmetrised);
        for (const int processes : {1, 2, 4}) {
          const at::Tensor found = shared(params, config, input, {.symmetrised = symmetrised}, processes);
          EXPECT_LE(largest_difference(found, expected), 1e-12) << m << " x " << n << ", " << processes;
        }
      }
    }
  }
}

TEST(ShardedPass, AMemoryLimitChangesNothing) {
  const ModelConfig config = little();
  const ModelParams params = convert_parameters(initialise_parameters(config, 3), at::kCPU, at::kDouble);
  const ShardedInput input = random_input(29, 11, config);
  const at::Tensor expected = alone(params, config, input, true);
  for (const std::int64_t bytes : {1, 700, 5000, 20000})
    EXPECT_LE(largest_difference(shared(params, config, input, {.max_score_bytes = bytes}, 3), expected),
              1e-12)
        << bytes;
}

TEST(ShardedPass, ProgressGoesFromNothingToAll) {
  const ModelConfig config = little();
  const ModelParams params = convert_parameters(initialise_parameters(config, 3), at::kCPU, at::kDouble);
  std::vector<double> shares;
  shared(params, config, random_input(9, 4, config),
         {.progress = [&](double share) { shares.push_back(share); }}, 1);
  EXPECT_EQ(shares.front(), 0.0);
  EXPECT_EQ(shares.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(ShardedPass, OtherAttentionIsRefused) {
  ModelConfig config = little();
  config.attention = AttentionKind::kVanilla;
  EXPECT_THROW(require_shardable(config), UsageError);
}

}  // namespace
}  // namespace causcale::test
