// A forward pass recorded as a CUDA graph: at small sizes handing out the kernels one by one takes longer
// than the kernels do. A recording is good for inputs of one shape and for weights that stay where they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

#include "learn/networks/causcale.h"

namespace causcale {

class RecordedPass {
 public:
  using Pass = std::function<at::Tensor(const ModelInput&)>;

  static bool possible(at::Device device);

  // Runs `pass` twice on a stream of its own, the second time for the recording. The pass must neither wait
  // for the device nor copy pageable memory. Throws when CUDA refuses; the device is then as it was before.
  RecordedPass(const ModelInput& like, const Pass& pass);
  ~RecordedPass();
  RecordedPass(const RecordedPass&) = delete;
  RecordedPass& operator=(const RecordedPass&) = delete;

  // The result for another input of the same shape and type, in memory of its own; follows the order of the
  // current stream.
  at::Tensor replay(const ModelInput& input);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace causcale
