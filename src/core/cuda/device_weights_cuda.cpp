#include "core/cuda/device_weights.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/cuda/check.h"
#include "core/cuda/feed_forward_kernels.h"
#include "core/cuda/pack_weights.h"
#include "core/cuda/token_map.h"

namespace causcale::cuda {
namespace {

std::uint16_t bfloat16(float value) {  // to nearest, ties to even
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Gathers everything on the host and says where it will lie on the device.
class Image {
 public:
  explicit Image(Storage storage) : storage_(storage) {}

  // Offsets of what was placed.
  std::size_t values(const std::vector<float>& numbers) {
    if (storage_ == Storage::kFloat) return floats(numbers);
    const std::size_t place = grow(numbers.size() * sizeof(std::uint16_t));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::uint16_t bits = bfloat16(numbers[k]);
      std::memcpy(bytes_.data() + place + k * sizeof bits, &bits, sizeof bits);
    }
    return place;
  }
  std::size_t floats(const std::vector<float>& numbers) {
    const std::size_t place = grow(numbers.size() * sizeof(float));
    if (!numbers.empty()) std::memcpy(bytes_.data() + place, numbers.data(), numbers.size() * sizeof(float));
    return place;
  }
  // A matrix [rows, cols] that the bf16 kernels want packed.
  std::size_t matrix(const std::vector<float>& numbers, int rows, int cols, int rows_per_image) {
    const std::size_t place = values(numbers);
    if (storage_ == Storage::kBf16) jobs_.push_back({place, rows, cols, rows_per_image});
    return place;
  }

  DeviceBlock upload() const {
    const auto size = static_cast<std::int64_t>(bytes_.size());
    DeviceBlock raw(size), packed(jobs_.empty() ? 0 : size);
    check(cudaMemcpy(raw.data(), bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy of weights");
    if (jobs_.empty()) return raw;
    check(cudaMemcpyAsync(packed.data(), raw.data(), bytes_.size(), cudaMemcpyDeviceToDevice, nullptr),
          "cudaMemcpyAsync of weights");
    for (const Job& job : jobs_)
      pack_weights(
          {raw.data() + job.place, packed.data() + job.place, job.rows, job.cols, job.rows_per_image},
          {nullptr, nullptr, 0, job.cols, job.rows_per_image}, nullptr);
    check(cudaStreamSynchronize(nullptr), "packing of weights");
    return packed;
  }

 private:
  struct Job {
    std::size_t place;
    int rows, cols, rows_per_image;
  };
  std::size_t grow(std::size_t bytes) {
    const std::size_t place = bytes_.size();
    bytes_.resize(place + static_cast<std::size_t>(DeviceArena::rounded(static_cast<std::int64_t>(bytes))));
    return place;
  }

  Storage storage_;
  std::vector<std::byte> bytes_;
  std::vector<Job> jobs_;
};

std::vector<float> joined(std::initializer_list<const std::vector<float>*> parts) {
  std::vector<float> all;
  for (const std::vector<float>* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

std::vector<float> transposed(const core::StoredLinear& linear) {
  std::vector<float> result(linear.weight.size());
  for (std::int64_t o = 0; o < linear.out; ++o)
    for (std::int64_t i = 0; i < linear.in; ++i)
      result[static_cast<std::size_t>(i * linear.out + o)] =
          linear.weight[static_cast<std::size_t>(o * linear.in + i)];
  return result;
}

// Places everything twice in the same order: the first time offsets are found, the second time they become
// pointers into the device's memory.
class Places {
 public:
  Places(Image* image, std::byte* memory, std::vector<std::size_t>& offsets)
      : image_(image), memory_(memory), offsets_(offsets) {}

  const void* values(const std::vector<float>& numbers) {
    return next([&] { return image_->values(numbers); });
  }
  const float* floats(const std::vector<float>& numbers) {
    return static_cast<const float*>(next([&] { return image_->floats(numbers); }));
  }
  const void* matrix(const std::vector<float>& numbers, std::int64_t rows, std::int64_t cols,
                     int rows_per_image = kChannels) {
    return next([&] {
      return image_->matrix(numbers, static_cast<int>(rows), static_cast<int>(cols), rows_per_image);
    });
  }
  DeviceNorm norm(const core::StoredNorm& stored) { return {values(stored.weight), values(stored.bias)}; }
  DeviceEmbedding embedding(const core::StoredLinear& linear, const core::StoredNorm& stored) {
    return {values(linear.weight), values(linear.bias), norm(stored), static_cast<int>(linear.in)};
  }
  DeviceAttention attention(const core::StoredAttention& stored) {
    DeviceAttention placed;
    placed.norm = norm(stored.norm);
    placed.qkv =
        matrix(joined({&stored.q.weight, &stored.k.weight, &stored.v.weight}), 3 * kChannels, kChannels);
    placed.qkv_bias = values(joined({&stored.q.bias, &stored.k.bias, &stored.v.bias}));
    placed.out = matrix(stored.out.weight, kChannels, kChannels);
    placed.out_bias = values(stored.out.bias);
    return placed;
  }
  DeviceAxial axial(const core::StoredAxial& stored) {
    DeviceAxial placed;
    placed.row = attention(stored.row);
    placed.column = attention(stored.column);
    placed.norm = norm(stored.norm);
    placed.up = matrix(stored.up.weight, stored.up.out, kChannels, kHiddenChunk);
    placed.up_bias = values(stored.up.bias);
    placed.down = matrix(stored.down.weight, kChannels, stored.down.in);
    placed.down_bias = values(stored.down.bias);
    placed.width = static_cast<int>(stored.up.out);
    return placed;
  }
  Projection128 projection(const core::StoredProjection& stored) {
    Projection128 placed;
    placed.first = floats(transposed(stored.first));
    placed.first_bias = floats(stored.first.bias);
    placed.norm_weight = floats(stored.norm.weight);
    placed.norm_bias = floats(stored.norm.bias);
    placed.second = floats(transposed(stored.second));
    placed.second_bias = floats(stored.second.bias);
    return placed;
  }
  DeviceBlockWeights block(const core::StoredBlock& stored, bool graph_stream) {
    DeviceBlockWeights placed{};
    placed.data = axial(stored.data);
    placed.data2graph = axial(stored.data2graph);
    if (graph_stream) placed.graph = axial(stored.graph);
    placed.u = projection(stored.u);
    placed.v = projection(stored.v);
    std::vector<float> square, column;  // of [128, 129]
    for (std::int64_t row = 0; row < stored.fuse.out; ++row) {
      const auto first = stored.fuse.weight.begin() + row * stored.fuse.in;
      square.insert(square.end(), first, first + kChannels);
      column.push_back(first[kChannels]);
    }
    placed.fuse = matrix(square, kChannels, kChannels);
    placed.fuse_column = values(column);
    placed.fuse_bias = values(stored.fuse.bias);
    return placed;
  }

 private:
  template <class Put>
  const void* next(const Put& put) {
    if (memory_ == nullptr) {
      offsets_.push_back(put());
      return nullptr;
    }
    return memory_ + offsets_[used_++];
  }

  Image* image_;
  std::byte* memory_;
  std::vector<std::size_t>& offsets_;
  std::size_t used_ = 0;
};

}  // namespace

DeviceWeights::DeviceWeights(const ModelConfig& config, const core::StoredWeights& stored, Storage storage) {
  Image image(storage);
  std::vector<std::size_t> offsets;
  for (const bool found : {false, true}) {
    Places place(&image, memory_.data(), offsets);
    embed_data = place.embedding(stored.embed_data, stored.embed_data_norm);
    embed_graph = place.embedding(stored.embed_graph, stored.embed_graph_norm);
    blocks.clear();
    for (const core::StoredBlock& block : stored.blocks)
      blocks.push_back(place.block(block, config.use_graph_stream));
    final_norm_weight = place.floats(stored.final_norm.weight);
    final_norm_bias = place.floats(stored.final_norm.bias);
    head_first = place.values(stored.head.first.weight);
    head = {};
    head.bias = place.floats(stored.head.first.bias);
    head.norm_weight = place.floats(stored.head.norm.weight);
    head.norm_bias = place.floats(stored.head.norm.bias);
    head.second = place.floats(stored.head.second.weight);
    head.second_bias = place.floats(stored.head.second.bias);
    head.logits = static_cast<int>(stored.head.second.out);
    if (!found) memory_ = image.upload();
  }
}

}  // namespace causcale::cuda
