// The variants of the network that the paper compares, and how to train each alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/config.h"

namespace causcale {

struct AblationVariant {
  std::string name;
  std::string meaning;
  void (*apply)(ModelConfig& config);
};
const std::vector<AblationVariant>& ablation_variants();

// A training configuration (see learn/config/config.h) of a small model on graphs of 10, 20 and 50 variables:
// the same data in the same order for every variant.
std::string ablation_config(const AblationVariant& variant, std::int64_t steps);

// <folder>/<name>.json for every variant; returns the files.
std::vector<std::filesystem::path> write_ablation_configs(const std::filesystem::path& folder,
                                                          std::int64_t steps);

}  // namespace causcale
