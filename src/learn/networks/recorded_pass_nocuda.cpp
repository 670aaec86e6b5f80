#include "causcale/error.h"
#include "learn/networks/recorded_pass.h"

namespace causcale {

struct RecordedPass::State {};

bool RecordedPass::possible(at::Device) {
  return false;
}

RecordedPass::RecordedPass(const ModelInput&, const Pass&) {
  throw Error("this build has no CUDA graphs");
}

RecordedPass::~RecordedPass() = default;

at::Tensor RecordedPass::replay(const ModelInput&) {
  throw Error("this build has no CUDA graphs");
}

}  // namespace causcale
