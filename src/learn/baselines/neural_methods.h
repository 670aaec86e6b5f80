// The methods that train networks with tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>

#include "methods/method.h"
#include "methods/neural/sdcd_model.h"

namespace causcale {

std::span<const Method> neural_methods();

Method notears_mlp_method();
Method diffan_method();

// Those that need a model of their name, if it is installed; its weights are read when they run.
Method avici_method();
Method sea_method();

// What SDCD trains, on any device of libtorch.
std::unique_ptr<SdcdModel> sdcd_tensor_model(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed,
                                             int hidden, int batch_size, at::Device device,
                                             RandomStream random);

}  // namespace causcale
