// The second network of a second stage. It has the same task and other training, so that it is wrong
// elsewhere, and what both say together is better than either. It lies in the model's own file: tensors
// "stacking.network.*", metadata "stacking_network_*".
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/safetensors.h"
#include "core/network.h"

namespace causcale {

inline constexpr const char* kCompanionPrefix = "stacking.network.";
inline constexpr const char* kCompanionKey = "stacking_network_";

// A companion's own metadata among those of a model; empty where there is none.
std::map<std::string, std::string> companion_metadata(const std::map<std::string, std::string>& metadata);

// Adds the network of a weight file; a second stage that this file has itself is left out. `content` points
// into `file` from then on.
void add_companion(const SafetensorsFile& file, SafetensorsContent& content);

// What a second stage begins with.
struct JoinedAnswer {
  core::PairProbabilities said;  // by the model's network, or by both together
  Matrix<double> disagreement;   // [n, n], log-odds of the companion less the network's; empty without one
};

// The mean of two networks' log probabilities of no link and of either direction. That a link goes both ways,
// and that a hidden variable causes both, is said by those that tell it.
JoinedAnswer joined(const core::PairProbabilities& own, const core::PairProbabilities& companion);

}  // namespace causcale
