#include "discover/stacking/stacked_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "causcale/error.h"
#include "discover/stacking/companion.h"

namespace causcale {
namespace {

constexpr double kLeastProbability = 1e-5;
// For what a network does not tell: of a thousand pairs one has edges both ways, one in fifty a hidden cause.
constexpr float kBothLogit = -6.9f, kConfoundedLogit = -3.9f;
constexpr float kLargestInput = 6.0f;  // deviations: what lies further away is as unusual as that
constexpr std::int64_t kMostMembers = 64, kMostHidden = 4096;

// Read from the other end: forward and reverse change places.
void turn_round(PairLogits& logits) {
  logits.row(static_cast<int>(PairClass::kForward)).swap(logits.row(static_cast<int>(PairClass::kReverse)));
}

}  // namespace

Eigen::Matrix<float, kPairLogits, 1> network_logits(const core::PairProbabilities& network, std::size_t i,
                                                    std::size_t j) {
  const auto log_of = [](double p) { return static_cast<float>(std::log(std::max(p, kLeastProbability))); };
  const bool tells_feedback = !network.feedback.empty(), tells_confounded = !network.confounded.empty();
  const double both = tells_feedback ? network.feedback(i, j) : 0.0;
  const double confounded = tells_confounded ? network.confounded(i, j) : 0.0;
  Eigen::Matrix<float, kPairLogits, 1> logits;
  logits << log_of(1.0 - link_probability(network, i, j)), log_of(network.edges(i, j) - both),
      log_of(network.edges(j, i) - both), tells_feedback ? log_of(both) : kBothLogit,
      tells_confounded ? log_of(confounded) - log_of(1.0 - confounded) : kConfoundedLogit;
  return logits;
}

StackedModel::StackedModel(std::vector<float> mean, std::vector<float> scale,
                           std::vector<PairNetwork> members)
    : mean_(std::move(mean)), scale_(std::move(scale)), members_(std::move(members)) {}

Eigen::MatrixXf StackedModel::inputs(const PairStatistics& statistics, std::span<const Edge> pairs) const {
  Eigen::MatrixXf inputs(static_cast<Eigen::Index>(kPairInputs), static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    float* column = inputs.col(static_cast<Eigen::Index>(k)).data();
    write_pair_inputs(statistics, static_cast<std::size_t>(pairs[k].source),
                      static_cast<std::size_t>(pairs[k].target), column);
    for (std::size_t f = 0; f < kPairInputs; ++f)
      column[f] = std::clamp((column[f] - mean_[f]) / scale_[f], -kLargestInput, kLargestInput);
  }
  return inputs;
}

StackedAnswer StackedModel::answer(const PairStatistics& statistics, const core::PairProbabilities& network,
                                   int threads) const {
  const std::size_t n = statistics.columns;
  StackedAnswer answer{Matrix<double>(n, n), Matrix<double>(n, n), Matrix<double>(n, n)};
  parallel_for(n, threads, [&](std::size_t i) {
    std::vector<Edge> from, to;
    for (std::size_t j = i + 1; j < n; ++j) {
      from.push_back({static_cast<int>(i), static_cast<int>(j)});
      to.push_back({static_cast<int>(j), static_cast<int>(i)});
    }
    if (from.empty()) return;
    PairLogits base(kPairLogits, static_cast<Eigen::Index>(from.size()));
    for (std::size_t k = 0; k < from.size(); ++k)
      base.col(static_cast<Eigen::Index>(k)) = network_logits(network, i, i + 1 + k);
    const Eigen::MatrixXf one = inputs(statistics, from), other = inputs(statistics, to);
    for (const PairNetwork& member : members_) {
      PairLogits reversed = member.forward(other);
      turn_round(reversed);
      const PairLogits logits = base + 0.5f * (member.forward(one) + reversed);
      for (std::size_t k = 0; k < from.size(); ++k) {
        const std::size_t j = i + 1 + k;
        const auto column = logits.col(static_cast<Eigen::Index>(k)).cast<double>();
        const Eigen::Array4d odds =
            (column.head<kPairClasses>().array() - column.head<kPairClasses>().maxCoeff()).exp();
        const Eigen::Array4d p = odds / odds.sum() / static_cast<double>(members_.size());
        answer.probabilities(i, j) += p(1) + p(3);
        answer.probabilities(j, i) += p(2) + p(3);
        answer.feedback(i, j) += p(3);
        answer.confounded(i, j) +=
            1.0 / (1.0 + std::exp(-column(kPairClasses))) / static_cast<double>(members_.size());
      }
    }
    for (const Edge& pair : from) {
      const auto j = static_cast<std::size_t>(pair.target);
      answer.feedback(j, i) = answer.feedback(i, j);
      answer.confounded(j, i) = answer.confounded(i, j);
    }
  });
  return answer;
}

std::optional<StackedModel> read_stacked_model(core::WeightFile& file) {
  const auto found = file.metadata().find(kStackingKey);
  if (found == file.metadata().end()) return std::nullopt;
  if (found->second != std::to_string(kPairInputVersion))
    throw InputError(fmt::format(
        "{}: \"{}\" is \"{}\", accepted is \"{}\": the model was made for another version of the program",
        file.name(), kStackingKey, found->second, kPairInputVersion));
  const auto take = [&](const std::string& name, std::vector<std::int64_t> shape) {
    std::vector<float> values = file.take(kStackingPrefix + name, shape);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      throw InputError(fmt::format("{}: tensor '{}{}' has values that are not finite", file.name(),
                                   kStackingPrefix, name));
    return values;
  };
  const auto inputs = static_cast<std::int64_t>(kPairInputs);
  std::vector<float> mean = take("mean", {inputs}), scale = take("scale", {inputs});
  if (std::ranges::any_of(scale, [](float value) { return !(value > 0.0f); }))
    throw InputError(
        fmt::format("{}: tensor '{}scale' has values that are not positive", file.name(), kStackingPrefix));
  std::vector<PairNetwork> members;
  while (file.has(fmt::format("{}{}.first", kStackingPrefix, members.size()))) {
    if (static_cast<std::int64_t>(members.size()) == kMostMembers)
      throw InputError(
          fmt::format("{}: more than {} members of the second stage", file.name(), kMostMembers));
    const std::string at = fmt::format("{}.", members.size());
    const std::int64_t hidden = file.rows(fmt::format("{}{}first", kStackingPrefix, at));
    if (hidden < 1 || hidden > kMostHidden)
      throw InputError(fmt::format("{}: tensor '{}{}first' has {} rows, accepted are 1 to {}", file.name(),
                                   kStackingPrefix, at, hidden, kMostHidden));
    PairNetwork member = PairNetwork::random(static_cast<int>(inputs), static_cast<int>(hidden), 0, 0);
    const std::vector<std::pair<std::string, std::vector<std::int64_t>>> layout{
        {"first", {hidden, inputs}}, {"first_bias", {hidden}},        {"second", {hidden, hidden}},
        {"second_bias", {hidden}},   {"last", {kPairLogits, hidden}}, {"last_bias", {kPairLogits}}};
    const auto blocks = member.blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b)
      std::ranges::copy(take(at + layout[b].first, layout[b].second), blocks[b].begin());
    members.push_back(std::move(member));
  }
  if (members.empty())
    throw InputError(fmt::format("{}: \"{}\" is given, and no tensor '{}0.first' is there", file.name(),
                                 kStackingKey, kStackingPrefix));
  return StackedModel(std::move(mean), std::move(scale), std::move(members));
}

void remove_stacking(SafetensorsContent& content) {
  std::erase_if(content.tensors,
                [](const TensorView& tensor) { return tensor.name.starts_with(kStackingPrefix); });
  std::erase_if(content.metadata, [](const auto& entry) { return entry.first.starts_with(kStackingKey); });
}

void write_with_stacking(const std::filesystem::path& weights, const std::filesystem::path& companion,
                         const StackedModel& model, const std::map<std::string, std::string>& remarks,
                         const std::filesystem::path& out) {
  const SafetensorsFile file(weights);
  SafetensorsContent content = file.content();
  remove_stacking(content);
  std::optional<SafetensorsFile> second;
  if (!companion.empty()) add_companion(second.emplace(companion), content);
  content.metadata[kStackingKey] = std::to_string(kPairInputVersion);
  for (const auto& [key, value] : remarks) content.metadata[fmt::format("{}_{}", kStackingKey, key)] = value;
  const auto add = [&](const std::string& name, std::vector<std::int64_t> shape,
                       std::span<const float> values) {
    content.tensors.push_back({kStackingPrefix + name, "F32", std::move(shape), std::as_bytes(values)});
  };
  const auto inputs = static_cast<std::int64_t>(kPairInputs);
  add("mean", {inputs}, model.mean());
  add("scale", {inputs}, model.scale());
  for (std::size_t k = 0; k < model.members().size(); ++k) {
    const PairNetwork& member = model.members()[k];
    const std::int64_t hidden = member.first.rows();
    const auto blocks = member.blocks();
    add(fmt::format("{}.first", k), {hidden, inputs}, blocks[0]);
    add(fmt::format("{}.first_bias", k), {hidden}, blocks[1]);
    add(fmt::format("{}.second", k), {hidden, hidden}, blocks[2]);
    add(fmt::format("{}.second_bias", k), {hidden}, blocks[3]);
    add(fmt::format("{}.last", k), {kPairLogits, hidden}, blocks[4]);
    add(fmt::format("{}.last_bias", k), {kPairLogits}, blocks[5]);
  }
  write_safetensors(out, content);
}

}  // namespace causcale
