// Attention, feed-forward network and message on a GPU against their definitions, on odd sizes and in small
// chunks.
#include "core/cuda/layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cuda/message_kernels.h"
#include "core/cuda_cases.h"
#include "support/random_model.h"

namespace causcale::test {
namespace {

constexpr std::int64_t d = 128, kHeads = 16, kHead = 8;

double bound(Storage storage) {
  return storage == Storage::kFloat ? 1e-5 : 2e-2;
}

// A model of one block, whose weights are as the storage has them.
struct OneBlock {
  OneBlock(Storage storage, int ffn) : storage(storage) {
    config.blocks = 1;
    config.ffn_dim = ffn;
    struct Rounding : core::WeightSource {
      RandomWeights source;
      Storage storage;
      explicit Rounding(Storage stored) : storage(stored) {}
      std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) override {
        return rounded(source.take(name, shape), storage);
      }
    } source(storage);
    stored = core::read_weights(source, config);
    weights = std::make_unique<cuda::DeviceWeights>(config, stored, storage);
    on_device = weights->blocks[0];
  }
  Storage storage;
  ModelConfig config;
  core::StoredWeights stored;
  std::unique_ptr<cuda::DeviceWeights> weights;
  cuda::DeviceBlockWeights on_device;
};

class ScratchMemory {
 public:
  explicit ScratchMemory(std::int64_t bytes) : block_(std::max<std::int64_t>(bytes, 256)) {}
  cuda::Scratch scratch() const { return {block_.data(), block_.bytes()}; }

 private:
  cuda::DeviceBlock block_;
};

// x + W_out attention(LayerNorm(x)) on x [B, R, C, d].
std::vector<double> attention(const std::vector<float>& x, const core::StoredAttention& w, std::int64_t B,
                              std::int64_t R, std::int64_t C, bool row_attention, bool scaled) {
  const std::int64_t tokens = B * R * C;
  std::vector<Row> q, k, v;
  for (std::int64_t t = 0; t < tokens; ++t) {
    const Row normed = layer_norm(row_of(x, t, d), w.norm.weight, w.norm.bias);
    q.push_back(linear(normed, w.q.weight, w.q.bias));
    k.push_back(linear(normed, w.k.weight, w.k.bias));
    v.push_back(linear(normed, w.v.weight, w.v.bias));
  }
  const std::int64_t L = row_attention ? C : R, T = row_attention ? R : C;
  const auto token = [&](std::int64_t b, std::int64_t l, std::int64_t t) {
    return static_cast<std::size_t>(row_attention ? (b * R + t) * C + l : (b * R + l) * C + t);
  };
  const double scale = scaled ? 1.0 / std::sqrt(static_cast<double>(kHead * T)) : 1.0;
  std::vector<Row> mixed(static_cast<std::size_t>(tokens), Row(d));
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t h = 0; h < kHeads; ++h)
      for (std::int64_t i = 0; i < L; ++i) {
        Row scores(static_cast<std::size_t>(L));
        for (std::int64_t j = 0; j < L; ++j)
          for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t c = h * kHead; c < (h + 1) * kHead; ++c)
              scores[static_cast<std::size_t>(j)] += scale * q[token(b, i, t)][static_cast<std::size_t>(c)] *
                                                     k[token(b, j, t)][static_cast<std::size_t>(c)];
        const double top = *std::ranges::max_element(scores);
        double sum = 0.0;
        for (double& score : scores) sum += score = std::exp(score - top);
        for (std::int64_t j = 0; j < L; ++j)
          for (std::int64_t t = 0; t < T; ++t)
            for (std::int64_t c = h * kHead; c < (h + 1) * kHead; ++c)
              mixed[token(b, i, t)][static_cast<std::size_t>(c)] +=
                  scores[static_cast<std::size_t>(j)] / sum * v[token(b, j, t)][static_cast<std::size_t>(c)];
      }
  std::vector<double> y;
  for (std::int64_t t = 0; t < tokens; ++t) {
    Row row = linear(mixed[static_cast<std::size_t>(t)], w.out.weight, w.out.bias);
    for (std::int64_t c = 0; c < d; ++c)
      row[static_cast<std::size_t>(c)] += static_cast<double>(x[static_cast<std::size_t>(t * d + c)]);
    append(y, row);
  }
  return y;
}

class LayersCuda : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= static_cast<int>(storages().size())) GTEST_SKIP() << "this GPU computes in fp32";
    storage_ = storages()[static_cast<std::size_t>(GetParam())];
  }
  Storage storage_ = Storage::kFloat;
};

TEST_P(LayersCuda, AttentionOfBothAxesInPlaceAndNot) {
  const OneBlock block(storage_, 128);
  const cuda::Queue queue;
  const cuda::DeviceBlock workspace(std::int64_t{32} << 20);
  queue.use_workspace(workspace.data(), workspace.bytes());
  struct Size {
    std::int64_t B, R, C;
  };
  for (const Size& size : {Size{1, 1, 1}, {1, 2, 3}, {2, 9, 5}, {1, 37, 7}, {1, 16, 8}, {1, 3, 70}})
    for (const bool row : {true, false})
      for (const bool scaled : {true, false})
        for (const bool in_place : {true, false}) {
          const std::vector<float> x = rounded(random_values(size.B * size.R * size.C * d, 3), storage_);
          const core::StoredAttention& stored =
              row ? block.stored.blocks[0].data.row : block.stored.blocks[0].data.column;
          const cuda::AttentionShape shape({size.B, size.R, size.C}, row, storage_);
          const ScratchMemory memory(cuda::attention_scratch_bytes(shape, 0));
          const OnDevice input(x, storage_), other(static_cast<std::int64_t>(x.size()), storage_);
          const OnDevice& y = in_place ? input : other;
          cuda::attend(row ? block.on_device.data.row : block.on_device.data.column, input.data(), y.data(),
                       shape, scaled, 0, memory.scratch(), queue);
          EXPECT_LE(
              relative_difference(y.values(), attention(x, stored, size.B, size.R, size.C, row, scaled)),
              bound(storage_))
              << size.B << "x" << size.R << "x" << size.C << (row ? " row" : " column")
              << (scaled ? " scaled" : "") << (in_place ? " in place" : "");
        }
}

TEST_P(LayersCuda, AttentionInChunksOfMapsAndQueries) {
  const OneBlock block(storage_, 128);
  const cuda::Queue queue;
  const cuda::DeviceBlock workspace(std::int64_t{32} << 20);
  queue.use_workspace(workspace.data(), workspace.bytes());
  const std::int64_t B = 2, R = 301, C = 2;
  const std::vector<float> x = rounded(random_values(B * R * C * d, 3), storage_);
  const std::vector<double> wanted = attention(x, block.stored.blocks[0].data.column, B, R, C, false, true);
  const cuda::AttentionShape shape({B, R, C}, false, storage_);
  std::int64_t before = INT64_MAX;
  for (const std::int64_t budget :
       {std::int64_t{0}, std::int64_t{4} << 20, std::int64_t{1} << 20, std::int64_t{1}}) {
    const std::int64_t bytes = cuda::attention_scratch_bytes(shape, budget);
    EXPECT_LT(bytes, before);
    before = bytes;
    const ScratchMemory memory(bytes);
    const OnDevice input(x, storage_);
    cuda::attend(block.on_device.data.column, input.data(), input.data(), shape, true, budget,
                 memory.scratch(), queue);
    EXPECT_LE(relative_difference(input.values(), wanted), bound(storage_)) << budget;
  }
  const cuda::ScoreChunks least(shape, 1);
  EXPECT_EQ(least.maps, 1);
  EXPECT_EQ(least.queries, 128);
}

TEST_P(LayersCuda, FeedForwardOfEveryWidth) {
  const cuda::Queue queue;
  for (const int width : {128, 256, 512, 1024}) {
    const OneBlock block(storage_, width);
    const core::StoredAxial& w = block.stored.blocks[0].data;
    for (const std::int64_t tokens : {1, 63, 65, 1100}) {
      const std::vector<float> x = rounded(random_values(tokens * d, 3), storage_);
      std::vector<double> wanted;
      for (std::int64_t t = 0; t < tokens; ++t) {
        Row hidden = linear(layer_norm(row_of(x, t, d), w.norm.weight, w.norm.bias), w.up.weight, w.up.bias);
        for (double& value : hidden) value = gelu(value);
        Row row = linear(hidden, w.down.weight, w.down.bias);
        for (std::int64_t c = 0; c < d; ++c)
          row[static_cast<std::size_t>(c)] += static_cast<double>(x[static_cast<std::size_t>(t * d + c)]);
        append(wanted, row);
      }
      const ScratchMemory memory(cuda::feed_forward_scratch_bytes(width, storage_));
      const OnDevice input(x, storage_);
      cuda::feed_forward(block.on_device.data, input.data(), input.data(), tokens, storage_, memory.scratch(),
                         queue);
      EXPECT_LE(relative_difference(input.values(), wanted), bound(storage_)) << width << " " << tokens;
    }
  }
}

TEST_P(LayersCuda, MessageInPlace) {
  const OneBlock block(storage_, 128);
  const core::StoredLinear& fuse = block.stored.blocks[0].fuse;
  for (const std::int64_t tokens : {1, 49, 200}) {
    const std::vector<float> graph = rounded(random_values(tokens * d, 3), storage_),
                             message = rounded(random_values(tokens, 4, 3.0f), storage_);
    std::vector<double> wanted;
    for (std::int64_t t = 0; t < tokens; ++t) {
      Row row = row_of(graph, t, d);
      row.push_back(message[static_cast<std::size_t>(t)]);
      append(wanted, linear(row, fuse.weight, fuse.bias));
    }
    const OnDevice input(graph, storage_), said(message, storage_);
    cuda::merge_message({input.data(), said.data(), block.on_device.fuse, block.on_device.fuse_column,
                         block.on_device.fuse_bias, static_cast<std::uint32_t>(tokens)},
                        input.data(), storage_, nullptr);
    EXPECT_LE(relative_difference(input.values(), wanted), bound(storage_)) << tokens;
  }
}

INSTANTIATE_TEST_SUITE_P(Storages, LayersCuda, testing::Values(0, 1),
                         [](const auto& info) { return info.param == 0 ? "fp32" : "bf16"; });

}  // namespace
}  // namespace causcale::test
