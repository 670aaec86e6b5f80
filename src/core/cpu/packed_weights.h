// A model's weights as the processor's products want them, packed once when a model is loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "core/cpu/kernels.h"
#include "core/weights.h"

namespace causcale::core {

// Vectors that begin at a cache line, which what a product loads must not straddle.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

template <class T>
struct Linear {  // y [out] = x [in] W^T + bias
  std::int64_t in = 0, out = 0;
  LineVector<T> panels;  // of W^T [in, out]
  std::int64_t panel_stride = 0;
  std::vector<float> bias;
};
using Norm = StoredNorm;

template <class T>
struct Attention {
  Norm norm;
  Linear<T> q, k, v, out;
};
template <class T>
struct Axial {
  Attention<T> row, column;
  Norm norm;
  Linear<T> up, down;
};
template <class T>
struct Projection {
  Linear<T> first;
  Norm norm;
  Linear<T> second;
};
template <class T>
struct Block {
  Axial<T> data, data2graph;
  Projection<T> u, v;
  Linear<T> fuse;                     // [d, d]: of the graph's channels
  std::vector<float> message_column;  // [d]: of the message
  Axial<T> graph;
};
template <class T>
struct PackedWeights {
  StoredLinear embed_data, embed_graph;  // too small for products
  Norm embed_data_norm, embed_graph_norm, final_norm;
  std::vector<Block<T>> blocks;
  Projection<T> head;
};

template <class T>
PackedWeights<T> pack_weights(const StoredWeights& stored, const Kernels<T>& kernels);

// b [depth, cols], given by its transpose's rows b^T [cols, depth] with `stride`, into panels.
template <class T>
void pack_transposed(const float* rows, std::int64_t stride, std::int64_t cols, std::int64_t depth,
                     const Kernels<T>& kernels, T* panels);

}  // namespace causcale::core
