// The methods that train networks with tensors.
#pragma once

#include <span>

#include "methods/method.h"

namespace causcale {

std::span<const Method> neural_methods();

Method notears_mlp_method();
Method sdcd_method();
Method diffan_method();

// Those that need a model of their name, if it is installed; its weights are read when they run.
Method avici_method();
Method sea_method();

}  // namespace causcale
