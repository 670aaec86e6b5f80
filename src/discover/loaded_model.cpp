#include "discover/loaded_model.h"

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/installed.h"
#include "core/train_library.h"
#include "core/weights.h"
#include "discover/stacking/stacked_model.h"

namespace causcale {
namespace {

// On the processor bfloat16 where it is multiplied in hardware, unless asked for otherwise.
Precision choose_precision(Precision wanted, Device device, core::Isa isa) {
  if (wanted != Precision::kAuto) return wanted;
  return device == Device::kCuda || core::multiplies_bf16(isa) ? Precision::kBfloat16 : Precision::kFloat32;
}

// Everything but the network.
LoadedModel find_and_describe(const DiscoverOptions& options, const std::filesystem::path& file) {
  LoadedModel loaded;
  loaded.name = file.stem().string();
  loaded.sha256 = verify_installed(file);
  loaded.device = choose_device(options.device);
  loaded.precision = choose_precision(options.precision, loaded.device, core::chosen_isa());
  return loaded;
}

std::shared_ptr<const ModelCard> card_of(const core::WeightFile& weights, const std::filesystem::path& file) {
  return std::make_shared<const ModelCard>(parse_card(weights.metadata(), file.string()));
}

std::shared_ptr<const StackedModel> stacking_of(core::WeightFile& weights) {
  auto stacked = read_stacked_model(weights);
  return stacked ? std::make_shared<const StackedModel>(std::move(*stacked)) : nullptr;
}

}  // namespace

LoadedModel load_for_discover(const DiscoverOptions& options) {
  const std::filesystem::path file = find_model(options.model);
  LoadedModel loaded = find_and_describe(options, file);
  const core::Isa isa = core::chosen_isa();
  core::WeightFile weights(file);
  loaded.stacking = stacking_of(weights);
  auto card = card_of(weights, file);
  if (loaded.device == Device::kCuda || !core::runs_on_the_core(card->config)) {
    if (loaded.device != Device::kCuda) loaded.precision = Precision::kFloat32;
    loaded.network = train_library(model_of_architecture(file, card->config))
                         .network(file, loaded.device, loaded.precision);
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

LoadedModel load_distributed(const DiscoverOptions& options) {
  const std::filesystem::path file = find_model(options.model);
  LoadedModel loaded = find_and_describe(options, file);
  if (loaded.device != Device::kCuda) loaded.precision = Precision::kFloat32;
  core::WeightFile weights(file);
  loaded.stacking = stacking_of(weights);
  loaded.card = card_of(weights, file);
  loaded.network = train_library("--distributed")
                       .distributed_network(file, loaded.device, loaded.precision, options.threads);
  return loaded;
}

}  // namespace causcale
