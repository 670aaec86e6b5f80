// What libcauscale_cuda adds to this library: the network on a GPU. It is opened when a GPU is asked for.
#pragma once

#include <memory>
#include <string>

#include "causcale/discover.h"
#include "core/config.h"
#include "core/network.h"
#include "core/weights.h"

namespace causcale {

// The first GPU.
struct CudaDevice {
  std::string name;  // empty where there is none
  int major = 0, minor = 0;
  std::string why_not;  // why it cannot be used; empty where it can

  // bf16 takes compute capability 9.0.
  bool multiplies_bf16() const { return major == 9; }
  std::string kernels() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

class CudaLibrary {
 public:
  virtual ~CudaLibrary() = default;
  virtual CudaDevice device() const = 0;
  // Whether the kernels compute a configuration.
  virtual bool computes(const ModelConfig& config) const = 0;
  // On device(), which can be used; kFloat32 or kBfloat16.
  virtual std::shared_ptr<const core::Network> network(const ModelConfig& config,
                                                       const core::StoredWeights& weights,
                                                       Precision precision) const = 0;
};

// Null where it is not installed. Throws Error when it is there and cannot be used.
const CudaLibrary* find_cuda_library();

// Which of them computes a model, as `--device` asks.
struct ChosenDevice {
  Device device = Device::kCpu;          // kCpu or kCuda
  const CudaLibrary* library = nullptr;  // on kCuda; null: the training library
  CudaDevice gpu;                        // with `library`
};
// The first GPU or the processor, for a configuration. Throws UsageError when CUDA was asked for and is not
// there, or too old.
ChosenDevice choose_device(Device wanted, const ModelConfig& config);
// The same for what the training library computes on tensors.
Device choose_tensor_device(Device wanted);

}  // namespace causcale
