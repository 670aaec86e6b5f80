// What libcauscale sees of this library.
#include <cstring>

#include "causcale/version.h"
#include "core/cuda/device.h"
#include "core/cuda/network_cuda.h"
#include "core/cuda_library.h"

namespace causcale {
namespace {

class Library : public CudaLibrary {
 public:
  CudaDevice device() const override { return cuda::find_device(); }
  bool computes(const ModelConfig& config) const override { return core::runs_on_cuda(config); }
  std::shared_ptr<const core::Network> network(const ModelConfig& config, const core::StoredWeights& weights,
                                               Precision precision) const override {
    return std::make_shared<core::CudaNetwork>(
        config, weights, precision == Precision::kBfloat16 ? cuda::Storage::kBf16 : cuda::Storage::kFloat);
  }
};

}  // namespace
}  // namespace causcale

extern "C" const causcale::CudaLibrary* causcale_cuda_library(const char* version) {
  static const causcale::Library library;
  return std::strcmp(version, CAUSCALE_VERSION) == 0 ? &library : nullptr;
}
