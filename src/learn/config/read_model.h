// The part "model" of a training configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/config.h"

namespace causcale {

// What is left out is as the architecture was published. Throws InputError that names `where` and the key.
ModelConfig read_model(const nlohmann::json& object, const std::string& where);

}  // namespace causcale
