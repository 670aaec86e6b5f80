// A stream of the network shared out over processes: each holds some lines of one axis, whole.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace causcale {

// What the processes do together; each calls the same in the same order.
class Collectives {
 public:
  virtual ~Collectives() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // The tensor becomes the sum over processes.
  virtual void sum(const at::Tensor& tensor) = 0;
  // The tensor becomes the first process'.
  virtual void broadcast(const at::Tensor& tensor) = 0;
  // Both [processes, ...], contiguous: from[p] goes to process p, to[p] comes from it.
  virtual void exchange(const at::Tensor& from, const at::Tensor& to) = 0;
};

// How an axis of `length` lines is dealt out: in order, as evenly as possible.
struct Shards {
  std::int64_t length;
  int count;

  std::int64_t begin(int part) const { return length * part / count; }
  std::int64_t size(int part) const { return begin(part + 1) - begin(part); }
  std::int64_t largest() const { return (length + count - 1) / count; }
};

// In which sums over processes are taken and scores kept: bf16 has too few digits for parts of a sum.
inline at::ScalarType wide_type(at::ScalarType type) {
  return type == at::kDouble ? at::kDouble : at::kFloat;
}

// x [a, B, d], a the own lines of an axis of `length` -> [b, length, d], b the own lines of the second axis:
// what was whole is dealt out and the other way round. Takes x by value: moved in, its memory is let go.
at::Tensor switch_axes(at::Tensor x, std::int64_t length, Collectives& group);

}  // namespace causcale
