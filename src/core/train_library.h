// What libcauscale_train adds to this library: everything that needs libtorch. It is opened when something
// asks for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "causcale/discover.h"
#include "core/config.h"
#include "core/network.h"

namespace causcale {

struct Method;
struct SdcdRows;
class SdcdModel;
class RandomStream;

// The arguments of `causcale train`.
struct TrainCommand {
  std::filesystem::path config, out, init;
  std::string time_budget;
  Device device = Device::kAuto;
  bool resume = false, plain = false, quiet = false;
  int threads = 0;
  std::optional<std::uint64_t> seed;
};

// The arguments of `causcale calibrate`.
struct CalibrateCommand {
  std::string model;
  Device device = Device::kAuto;
  std::filesystem::path config, grown_from, out;
  int graphs = 64;
  bool quiet = false, json = false;
  int threads = 0;
  std::uint64_t seed = 0;
};

class TrainLibrary {
 public:
  virtual ~TrainLibrary() = default;

  struct Devices {
    std::string torch_version;
    std::string gpu;         // name of the first CUDA device; empty when there is none
    std::string why_no_gpu;  // then
  };
  virtual Devices devices() const = 0;

  // A model that the core does not compute on this device.
  virtual std::shared_ptr<const core::Network> network(const std::filesystem::path& file, Device device,
                                                       Precision precision) const = 0;

  // A model on all processes that a launcher has started for one table, each with a part of the network's
  // memory. On the first process the network; the others work for it and get null when the first has let go
  // of it. Throws UsageError for a model that cannot be shared out.
  virtual std::shared_ptr<const core::Network> distributed_network(const std::filesystem::path& file,
                                                                   Device device, Precision precision,
                                                                   int threads) const = 0;

  // Methods of causal discovery that train networks with tensors.
  virtual std::span<const Method> methods() const = 0;
  // What the method sdcd trains (methods/neural/sdcd_model.h), on the first CUDA device.
  virtual std::unique_ptr<SdcdModel> sdcd_model_on_cuda(const SdcdRows& rows,
                                                        const Matrix<std::uint8_t>& allowed, int hidden,
                                                        int batch_size, RandomStream random) const = 0;

  // These print what they have done.
  virtual void train(const TrainCommand& command) const = 0;
  virtual void calibrate(const CalibrateCommand& command) const = 0;
};

// Null where it is not installed. Throws Error when it is there and cannot be used.
const TrainLibrary* find_train_library();
// Throws UsageError that says what to install; `what` is what needs it.
const TrainLibrary& train_library(const std::string& what);
// What to tell it of a model that the core does not compute.
std::string model_of_architecture(const std::filesystem::path& file, const ModelConfig& config);

}  // namespace causcale
