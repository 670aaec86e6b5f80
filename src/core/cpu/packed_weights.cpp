#include "core/cpu/packed_weights.h"

#include <algorithm>
#include <type_traits>

namespace causcale::core {
namespace {

template <class T>
T number(float value) {
  if constexpr (std::is_same_v<T, float>)
    return value;
  else
    return to_bf16(value);
}

template <class T>
class Packer {
 public:
  explicit Packer(const Kernels<T>& kernels) : kernels_(kernels) {}

  Linear<T> linear(const float* weight, std::int64_t stride, std::int64_t in, std::vector<float> bias) const {
    Linear<T> packed;
    packed.in = in;
    packed.out = static_cast<std::int64_t>(bias.size());
    packed.panels.resize(static_cast<std::size_t>(kernels_.packed_size(in, packed.out)));
    packed.panel_stride = kernels_.rounded_depth(in) * kernels_.panel;
    pack_transposed(weight, stride, packed.out, in, kernels_, packed.panels.data());
    packed.bias = std::move(bias);
    return packed;
  }
  Linear<T> linear(const StoredLinear& stored) const {
    return linear(stored.weight.data(), stored.in, stored.in, stored.bias);
  }
  Attention<T> attention(const StoredAttention& stored) const {
    return {stored.norm, linear(stored.q), linear(stored.k), linear(stored.v), linear(stored.out)};
  }
  Axial<T> axial(const StoredAxial& stored) const {
    return {attention(stored.row), attention(stored.column), stored.norm, linear(stored.up),
            linear(stored.down)};
  }
  Projection<T> projection(const StoredProjection& stored) const {
    return {linear(stored.first), stored.norm, linear(stored.second)};
  }
  Block<T> block(const StoredBlock& stored) const {
    const StoredLinear& fuse = stored.fuse;
    const std::int64_t d = fuse.out;
    Block<T> packed{axial(stored.data),
                    axial(stored.data2graph),
                    projection(stored.u),
                    projection(stored.v),
                    linear(fuse.weight.data(), fuse.in, d, fuse.bias),
                    {},
                    {}};
    for (std::int64_t c = 0; c < d; ++c)
      packed.message_column.push_back(fuse.weight[static_cast<std::size_t>(c * fuse.in + d)]);
    if (stored.graph.up.out > 0) packed.graph = axial(stored.graph);
    return packed;
  }

 private:
  const Kernels<T>& kernels_;
};

}  // namespace

template <class T>
void pack_transposed(const float* rows, std::int64_t stride, std::int64_t cols, std::int64_t depth,
                     const Kernels<T>& kernels, T* panels) {
  const std::int64_t panel = kernels.panel, group = kernels.group, rounded = kernels.rounded_depth(depth);
  for (std::int64_t first = 0; first < cols; first += panel, panels += rounded * panel)
    for (std::int64_t c = 0; c < panel; ++c) {
      const float* row = rows + std::min(first + c, cols - 1) * stride;
      const bool exists = first + c < cols;
      for (std::int64_t k = 0; k < rounded; ++k)
        panels[k / group * panel * group + c * group + k % group] =
            exists && k < depth ? number<T>(row[k]) : T{};
    }
}

template <class T>
PackedWeights<T> pack_weights(const StoredWeights& stored, const Kernels<T>& kernels) {
  const Packer<T> pack(kernels);
  PackedWeights<T> packed;
  packed.embed_data = stored.embed_data;
  packed.embed_graph = stored.embed_graph;
  packed.embed_data_norm = stored.embed_data_norm;
  packed.embed_graph_norm = stored.embed_graph_norm;
  packed.final_norm = stored.final_norm;
  for (const StoredBlock& block : stored.blocks) packed.blocks.push_back(pack.block(block));
  packed.head = pack.projection(stored.head);
  return packed;
}

template void pack_transposed(const float*, std::int64_t, std::int64_t, std::int64_t, const Kernels<float>&,
                              float*);
template void pack_transposed(const float*, std::int64_t, std::int64_t, std::int64_t, const Kernels<Bf16>&,
                              Bf16*);
template PackedWeights<float> pack_weights(const StoredWeights&, const Kernels<float>&);
template PackedWeights<Bf16> pack_weights(const StoredWeights&, const Kernels<Bf16>&);

}  // namespace causcale::core
