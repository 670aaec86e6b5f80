// What the rest of the program sees of this library.
#include <cstring>

#include "causcale/version.h"
#include "core/train_library.h"
#include "learn/baselines/neural_methods.h"
#include "learn/networks/device.h"
#include "learn/processes/distributed_network.h"
#include "learn/processes/launch.h"
#include "learn/run/commands.h"
#include "learn/run/torch_network.h"

namespace causcale {
namespace {

class Library : public TrainLibrary {
 public:
  Devices devices() const override {
    const DeviceInfo info = device_info();
    return {info.torch_version, info.gpu, info.gpu.empty() ? why_no_cuda() : ""};
  }
  std::shared_ptr<const core::Network> network(const std::filesystem::path& file, Device device,
                                               Precision precision) const override {
    return torch_network(file, device, precision);
  }
  std::shared_ptr<const core::Network> distributed_network(const std::filesystem::path& file, Device device,
                                                           Precision precision, int threads) const override {
    return causcale::distributed_network(file, device, precision, threads, launch_from_environment());
  }
  std::span<const Method> methods() const override { return neural_methods(); }
  std::unique_ptr<SdcdModel> sdcd_model_on_cuda(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed,
                                                int hidden, int batch_size,
                                                RandomStream random) const override {
    return sdcd_tensor_model(rows, allowed, hidden, batch_size, tensor_device(Device::kCuda, "device=cuda"),
                             random);
  }
  void train(const TrainCommand& command) const override { run_train_command(command); }
  void calibrate(const CalibrateCommand& command) const override { run_calibrate_command(command); }
};

}  // namespace
}  // namespace causcale

extern "C" const causcale::TrainLibrary* causcale_train_library(const char* version) {
  static const causcale::Library library;
  return std::strcmp(version, CAUSCALE_VERSION) == 0 ? &library : nullptr;
}
