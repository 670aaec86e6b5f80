// The network on several processes, for one table that is too large for one of them.
#pragma once

#include <filesystem>
#include <memory>

#include "causcale/discover.h"
#include "core/network.h"
#include "learn/processes/launch.h"
#include "learn/processes/process_group.h"

namespace causcale {

// On the first process the network, whose passes all processes make together; the others return null when the
// first has destroyed it, and throw PeerError when it or another one is gone. `threads` of this machine, 0:
// all cores; its processes share them.
std::shared_ptr<const core::Network> distributed_network(const std::filesystem::path& file, Device device,
                                                         Precision precision, int threads,
                                                         const LaunchEnvironment& launch,
                                                         ProcessGroupOptions options = {});

}  // namespace causcale
