// The second stage of a model: the network's answer and the statistics of every pair (pair_statistics.h)
// joined into one answer, by small networks that were fitted on simulated tables of all kinds ("stacked
// generalisation", Wolpert 1992). Where no statistic speaks against the network, its answer stays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "causcale/matrix.h"
#include "core/network.h"
#include "core/weights.h"
#include "discover/stacking/pair_network.h"
#include "discover/stacking/pair_statistics.h"

namespace causcale {

struct StackedAnswer {
  Matrix<double> probabilities;  // [n, n], of i -> j, whether j -> i as well or not
  Matrix<double> feedback;       // [n, n], symmetric: of both i -> j and j -> i
  Matrix<double> confounded;     // [n, n], symmetric: of a hidden common cause
};

class StackedModel {
 public:
  StackedModel() = default;
  // Inputs are divided by `scale` after `mean` was subtracted.
  StackedModel(std::vector<float> mean, std::vector<float> scale, std::vector<PairNetwork> members);

  // The mean over the members, and over both readings of a pair.
  StackedAnswer answer(const PairStatistics& statistics, const core::PairProbabilities& network,
                       int threads) const;

  const std::vector<float>& mean() const { return mean_; }
  const std::vector<float>& scale() const { return scale_; }
  const std::vector<PairNetwork>& members() const { return members_; }

  // As [k, pairs]: the inputs of some pairs, each read from its first node, made standard.
  Eigen::MatrixXf inputs(const PairStatistics& statistics, std::span<const Edge> pairs) const;

 private:
  std::vector<float> mean_, scale_;
  std::vector<PairNetwork> members_;
};

// Logits that mean what the network said of a pair, read from i. Networks that tell no feedback or no hidden
// causes say of every pair that there hardly is any.
Eigen::Matrix<float, kPairLogits, 1> network_logits(const core::PairProbabilities& network, std::size_t i,
                                                    std::size_t j);

// Names of the tensors in a weight file begin with this; its metadata "stacking" has the version of the
// inputs.
inline constexpr const char* kStackingPrefix = "stacking.";
inline constexpr const char* kStackingKey = "stacking";

// Nothing where the file has none. Throws InputError that names the file and what is wrong.
std::optional<StackedModel> read_stacked_model(core::WeightFile& file);

// For whoever changes what the network answers: its second stage no longer fits.
void remove_stacking(SafetensorsContent& content);

// A copy of a weight file with this second stage instead of the one that it has, if any, and with the network
// of the weight file `companion` in it (companion.h), unless that is empty.
void write_with_stacking(const std::filesystem::path& weights, const std::filesystem::path& companion,
                         const StackedModel& model, const std::map<std::string, std::string>& remarks,
                         const std::filesystem::path& out);

}  // namespace causcale
