#include "discover/stacking/companion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "discover/stacking/parts.h"
#include "discover/stacking/stacked_model.h"

namespace causcale {
namespace {

constexpr double kLeastProbability = 1e-5;

// Of a pair: no link, i -> j, j -> i. A link that goes both ways counts half as either.
using PairClasses = std::array<double, 3>;

PairClasses classes_of(const core::PairProbabilities& said, std::size_t i, std::size_t j) {
  const double half = said.feedback.empty() ? 0.0 : said.feedback(i, j) / 2.0;
  return {1.0 - link_probability(said, i, j), said.edges(i, j) - half, said.edges(j, i) - half};
}

PairClasses mean_of(const PairClasses& one, const PairClasses& other) {
  PairClasses mean;
  double total = 0.0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    mean[k] = std::sqrt(std::max(one[k], kLeastProbability) * std::max(other[k], kLeastProbability));
    total += mean[k];
  }
  for (double& p : mean) p /= total;
  return mean;
}

// That a link, if there is one, goes both ways.
double share_of_feedback(const core::PairProbabilities& said, std::size_t i, std::size_t j) {
  return std::clamp(said.feedback(i, j) / std::max(kLeastProbability, link_probability(said, i, j)), 0.0,
                    1.0);
}

// The mean over those of two answers that tell it.
template <class Tell>
double mean_of_told(const core::PairProbabilities& one, const core::PairProbabilities& other,
                    Matrix<double> core::PairProbabilities::*output, const Tell& tell) {
  double sum = 0.0, count = 0.0;
  for (const core::PairProbabilities* said : {&one, &other})
    if (!(said->*output).empty()) {
      sum += tell(*said);
      count += 1.0;
    }
  return sum / count;
}

}  // namespace

std::map<std::string, std::string> companion_metadata(const std::map<std::string, std::string>& metadata) {
  std::map<std::string, std::string> own;
  const std::string key = kCompanionKey;
  for (const auto& [name, value] : metadata)
    if (name.starts_with(key)) own.emplace(name.substr(key.size()), value);
  return own;
}

void add_companion(const SafetensorsFile& file, SafetensorsContent& content) {
  SafetensorsContent network = file.content();
  remove_stacking(network);
  for (const auto& [key, value] : network.metadata) content.metadata[kCompanionKey + key] = value;
  for (TensorView& tensor : network.tensors) {
    tensor.name = kCompanionPrefix + tensor.name;
    content.tensors.push_back(std::move(tensor));
  }
}

JoinedAnswer joined(const core::PairProbabilities& own, const core::PairProbabilities& companion) {
  using Pairs = core::PairProbabilities;
  const std::size_t n = own.edges.rows();
  JoinedAnswer answer{{Matrix<double>(n, n), {}, {}}, Matrix<double>(n, n)};
  Pairs& mean = answer.said;
  const bool feedback = !own.feedback.empty() || !companion.feedback.empty();
  const bool confounded = !own.confounded.empty() || !companion.confounded.empty();
  if (feedback) mean.feedback = Matrix<double>(n, n);
  if (confounded) mean.confounded = Matrix<double>(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      answer.disagreement(i, j) = log_odds(companion.edges(i, j)) - log_odds(own.edges(i, j));
      answer.disagreement(j, i) = log_odds(companion.edges(j, i)) - log_odds(own.edges(j, i));
      const auto [none, forward, reverse] = mean_of(classes_of(own, i, j), classes_of(companion, i, j));
      double both = 0.0;
      if (feedback) {
        both = (1.0 - none) * mean_of_told(own, companion, &Pairs::feedback,
                                           [&](const Pairs& said) { return share_of_feedback(said, i, j); });
        both = std::min(both, 2.0 * std::min(forward, reverse));  // neither direction is below it
        mean.feedback(i, j) = mean.feedback(j, i) = both;
      }
      mean.edges(i, j) = forward + both / 2.0;
      mean.edges(j, i) = reverse + both / 2.0;
      if (confounded)
        mean.confounded(i, j) = mean.confounded(j, i) = mean_of_told(
            own, companion, &Pairs::confounded, [&](const Pairs& said) { return said.confounded(i, j); });
    }
  return answer;
}

}  // namespace causcale
