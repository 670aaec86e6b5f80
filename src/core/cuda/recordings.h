// Passes recorded as CUDA graphs: at small sizes handing out the kernels one by one takes longer than the
// kernels do. A recording is good for the addresses that it was made with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <list>

#include "core/cuda/queue.h"
#include "core/cuda/workspace.h"

namespace causcale::cuda {

class Recordings {
 public:
  // What two passes must have in common.
  struct Key {
    PassShape shape;
    bool symmetrised = true, mirrored = false;
    bool operator==(const Key&) const = default;
  };
  ~Recordings();

  // Hands the work out on `queue`: the first time as it is, from the second time on as a recording. The work
  // must be the same every time, must begin and end on that queue's stream and neither wait nor allocate.
  void run(const Key& key, const Queue& queue, const std::function<void()>& work);

  void clear();  // when addresses change
  std::size_t count() const;

 private:
  struct Entry {
    Key key;
    bool failed = false;  // CUDA cannot record this pass; it goes on without
    cudaGraphExec_t graph = nullptr;
  };
  static cudaGraphExec_t record(const Queue& queue, const std::function<void()>& work);

  std::list<Entry> entries_;  // the latest used first
};

}  // namespace causcale::cuda
