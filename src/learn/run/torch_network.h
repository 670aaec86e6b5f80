// The network through libtorch: on CUDA, and on the processor for variants that the core does not compute.
#pragma once

#include <filesystem>
#include <memory>

#include "causcale/discover.h"
#include "core/network.h"

namespace causcale {

std::shared_ptr<const core::Network> torch_network(const std::filesystem::path& file, Device device,
                                                   Precision precision);

}  // namespace causcale
