// Sharing work items out over the threads, one by one, so that a slow thread holds up nobody.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>

#include "base/parallel.h"

namespace causcale::ops {

// Each thread's own buffer, aligned for vector loads.
class Scratch {
 public:
  explicit Scratch(std::size_t floats)
      : data_(static_cast<float*>(::operator new (floats * sizeof(float), std::align_val_t{64}))) {}
  float* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* data) const { ::operator delete (data, std::align_val_t{64}); }
  };
  std::unique_ptr<float, Free> data_;
};

// Calls work(item, scratch) once for each item in [0, count), `scratch_floats` floats being the thread's own.
// As many threads as libtorch uses (at::set_num_threads).
template <class Work>
void for_each_tile(std::int64_t count, std::size_t scratch_floats, const Work& work) {
  std::atomic<std::int64_t> next{0};
  const int threads = static_cast<int>(std::min<std::int64_t>(count, at::get_num_threads()));
  parallel_for(static_cast<std::size_t>(threads), threads, [&](std::size_t) {
    const Scratch scratch(scratch_floats);
    for (std::int64_t item = next++; item < count; item = next++) work(item, scratch.get());
  });
}

}  // namespace causcale::ops
