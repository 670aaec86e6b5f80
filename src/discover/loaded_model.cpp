#include "discover/loaded_model.h"

#include <fmt/format.h>

#include "causcale/error.h"
#include "core/cpu/network_cpu.h"
#include "core/cuda_library.h"
#include "core/installed.h"
#include "core/train_library.h"
#include "core/weights.h"
#include "discover/stacking/companion.h"
#include "discover/stacking/stacked_model.h"

namespace causcale {
namespace {

// bfloat16 where it is multiplied in hardware, unless asked for otherwise.
Precision choose_precision(Precision wanted, const ChosenDevice& chosen) {
  const bool fast = chosen.device == Device::kCpu ? core::multiplies_bf16(core::chosen_isa())
                    : chosen.library              ? chosen.gpu.multiplies_bf16()
                                                  : true;
  if (wanted == Precision::kBfloat16 && chosen.library && !fast)
    throw UsageError(
        fmt::format("--precision bf16: the GPU {} has compute capability {}.{}, bf16 needs 9.0; "
                    "accepted: auto, fp32",
                    chosen.gpu.name, chosen.gpu.major, chosen.gpu.minor));
  if (wanted != Precision::kAuto) return wanted;
  return fast ? Precision::kBfloat16 : Precision::kFloat32;
}

LoadedModel describe(const std::filesystem::path& file) {
  LoadedModel loaded;
  loaded.name = file.stem().string();
  loaded.sha256 = verify_installed(file);
  return loaded;
}

ChosenDevice settle_device(const DiscoverOptions& options, const ModelConfig& config, LoadedModel& loaded) {
  ChosenDevice chosen = choose_device(options.device, config);
  if (options.device == Device::kAuto && options.precision == Precision::kBfloat16 && chosen.library &&
      !chosen.gpu.multiplies_bf16())
    chosen = {};  // the processor does what this GPU cannot
  loaded.device = chosen.device;
  loaded.precision = choose_precision(options.precision, chosen);
  return chosen;
}

std::shared_ptr<const ModelCard> card_of(const core::WeightFile& weights, const std::filesystem::path& file) {
  return std::make_shared<const ModelCard>(parse_card(weights.metadata(), file.string()));
}

std::shared_ptr<const StackedModel> stacking_of(core::WeightFile& weights, const DiscoverOptions& options) {
  if (options.stacking == StackingRule::kOff) return nullptr;
  auto stacked = read_stacked_model(weights);
  return stacked ? std::make_shared<const StackedModel>(std::move(*stacked)) : nullptr;
}

std::shared_ptr<const core::Network> network_on_processor(const ModelConfig& config,
                                                          const core::StoredWeights& weights,
                                                          Precision precision) {
  const core::Isa isa = core::chosen_isa();
  if (precision == Precision::kBfloat16)
    return std::make_shared<core::CpuNetwork<core::Bf16>>(config, weights, isa);
  return std::make_shared<core::CpuNetwork<float>>(config, weights, isa);
}

// The network that a second stage brings along, on the device of the model's own where a library of the core
// computes that, else on the processor.
std::shared_ptr<const LoadedModel> companion_of(core::WeightFile& weights, const LoadedModel& loaded,
                                                const ChosenDevice& chosen) {
  const std::map<std::string, std::string> metadata = companion_metadata(weights.metadata());
  if (!loaded.stacking || metadata.empty()) return nullptr;
  auto companion = std::make_shared<LoadedModel>();
  companion->card = std::make_shared<const ModelCard>(
      parse_card(metadata, fmt::format("{}, network of the second stage", weights.name())));
  const ModelConfig& config = companion->card->config;
  if (!core::runs_on_the_core(config))
    throw InputError(
        fmt::format("{}: the network of the second stage is none that the program computes", weights.name()));
  core::NestedWeights nested(weights, kCompanionPrefix);
  const core::StoredWeights stored = core::read_weights(nested, config);
  companion->name = loaded.name;
  if (chosen.library) {
    companion->device = loaded.device;
    companion->precision = loaded.precision;
    companion->network = chosen.library->network(config, stored, loaded.precision);
  } else {
    companion->precision = choose_precision(Precision::kAuto, {});
    if (loaded.device == Device::kCpu) companion->precision = loaded.precision;
    companion->network = network_on_processor(config, stored, companion->precision);
  }
  return companion;
}

}  // namespace

std::int64_t LoadedModel::weight_bytes() const {
  return network->weight_bytes() + (companion ? companion->network->weight_bytes() : 0);
}

LoadedModel load_for_discover(const DiscoverOptions& options) {
  const std::filesystem::path file = find_model(options.model);
  LoadedModel loaded = describe(file);
  core::WeightFile weights(file);
  loaded.stacking = stacking_of(weights, options);
  auto card = card_of(weights, file);
  const ChosenDevice chosen = settle_device(options, card->config, loaded);
  if (chosen.library) {
    loaded.network = chosen.library->network(card->config, core::read_weights(weights), loaded.precision);
  } else if (loaded.device == Device::kCuda || !core::runs_on_the_core(card->config)) {
    if (loaded.device != Device::kCuda) loaded.precision = Precision::kFloat32;
    loaded.network = train_library(model_of_architecture(file, card->config))
                         .network(file, loaded.device, loaded.precision);
  } else {
    loaded.network = network_on_processor(card->config, core::read_weights(weights), loaded.precision);
  }
  loaded.card = std::move(card);
  loaded.companion = companion_of(weights, loaded, chosen);
  return loaded;
}

LoadedModel load_distributed(const DiscoverOptions& options) {
  const std::filesystem::path file = find_model(options.model);
  LoadedModel loaded = describe(file);
  core::WeightFile weights(file);
  loaded.stacking = stacking_of(weights, options);
  auto card = card_of(weights, file);
  // Of the library that computes it, which may know another device than the core.
  loaded.device = choose_tensor_device(options.device);
  loaded.precision = loaded.device == Device::kCuda
                         ? choose_precision(options.precision, {.device = loaded.device})
                         : Precision::kFloat32;
  loaded.card = std::move(card);
  loaded.network = train_library("--distributed")
                       .distributed_network(file, loaded.device, loaded.precision, options.threads);
  if (loaded.network) loaded.companion = companion_of(weights, loaded, ChosenDevice{});
  return loaded;
}

}  // namespace causcale
