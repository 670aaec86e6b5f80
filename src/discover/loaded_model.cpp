#include "discover/loaded_model.h"

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/installed.h"
#include "core/train_library.h"
#include "core/weights.h"

namespace causcale {
namespace {

// On the processor bfloat16 where it is multiplied in hardware, unless asked for otherwise.
Precision choose_precision(Precision wanted, Device device, core::Isa isa) {
  if (wanted != Precision::kAuto) return wanted;
  return device == Device::kCuda || core::multiplies_bf16(isa) ? Precision::kBfloat16 : Precision::kFloat32;
}

}  // namespace

LoadedModel load_for_discover(const DiscoverOptions& options) {
  const std::filesystem::path file = find_model(options.model);
  LoadedModel loaded;
  loaded.name = file.stem().string();
  loaded.sha256 = verify_installed(file);
  loaded.device = choose_device(options.device);
  const core::Isa isa = core::chosen_isa();
  loaded.precision = choose_precision(options.precision, loaded.device, isa);
  core::WeightFile weights(file);
  auto card = std::make_shared<const ModelCard>(parse_card(weights.metadata(), file.string()));
  if (loaded.device == Device::kCuda || !core::runs_on_the_core(card->config)) {
    if (loaded.device != Device::kCuda) loaded.precision = Precision::kFloat32;
    loaded.network = train_library("a model of this kind").network(file, loaded.device, loaded.precision);
  } else if (loaded.precision == Precision::kBfloat16) {
    loaded.network =
        std::make_shared<core::CpuNetwork<core::Bf16>>(card->config, core::read_weights(weights), isa);
  } else {
    loaded.network =
        std::make_shared<core::CpuNetwork<float>>(card->config, core::read_weights(weights), isa);
  }
  loaded.card = std::move(card);
  return loaded;
}

}  // namespace causcale
