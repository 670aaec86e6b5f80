#include "learn/run/validation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "learn/data/pair_matrices.h"
#include "learn/networks/sea.h"
#include "metrics/average_precision.h"

namespace causcale {

namespace {

// Each setting has a seed of its own (FNV-1a of its name), so that adding one leaves the others as they are.
std::uint64_t setting_seed(std::uint64_t seed, const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char letter : name) hash = (hash ^ letter) * 0x100000001b3;
  return seed ^ hash;
}

DataOptions data_of(const ValidationSetting& setting) {
  DataOptions data;
  data.nodes = Weighted<SizeRange>(SizeRange{setting.nodes, setting.nodes});
  data.rows = Weighted<SizeRange>(SizeRange{setting.rows, setting.rows});
  data.families = Weighted<std::string>(setting.family);
  data.worlds = Weighted<std::string>(setting.world);
  data.sergio = setting.sergio;
  data.edges_per_node = Weighted<double>(setting.edges_per_node);
  data.graphs = Weighted<std::string>(setting.graph);
  data.mechanisms = Weighted<std::string>(setting.mechanism);
  data.observational = setting.observational ? 1.0 : 0.0;
  data.standardized_prior = setting.standardized_prior ? 1.0 : 0.0;
  data.logarithms = setting.logarithms;
  data.channels = setting.channels;
  data.outputs = setting.outputs;
  return data;
}

// What edges are scored against. Of a pair that acts both ways `adjacency` has one direction, which is all
// that a network without such an output can say; where it tells feedback, its edges count both. `feedback`:
// the labels of that output, or undefined.
Digraph to_graph(const at::Tensor& adjacency, const at::Tensor& feedback) {
  const std::uint8_t* first = adjacency.data_ptr<std::uint8_t>();
  const auto n = static_cast<std::size_t>(adjacency.size(0));
  Matrix<std::uint8_t> edges(n, n, std::vector<std::uint8_t>(first, first + n * n));
  if (feedback.defined()) {
    const at::Tensor here = feedback.contiguous();
    const std::int8_t* both = here.data_ptr<std::int8_t>();
    for (std::size_t cell = 0; cell < n * n; ++cell)
      if (both[cell] == 1) edges.data()[cell] = 1;
  }
  return Digraph::from_adjacency(edges);
}

// A link where the label is 1. None where some pair's is unknown, which takes the table out of the mean.
Digraph to_links(const at::Tensor& labels) {
  const at::Tensor here = labels.contiguous();
  const std::int8_t* first = here.data_ptr<std::int8_t>();
  const auto n = static_cast<int>(labels.size(0));
  std::vector<Edge> links;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      if (first[i * n + j] == kUnknownPair) return Digraph(n, {});
      if (first[i * n + j] == 1) links.push_back({i, j});
    }
  return Digraph(n, std::move(links));
}

// Sums of scores, and how many; a table without any positive says nothing.
void add_score(double score, at::Tensor sums) {
  if (!std::isfinite(score)) return;
  sums[0] += score;
  sums[1] += 1.0;
}

}  // namespace

Validation::Validation(const ValidationOptions& options, int threads, DataShare share)
    : tokens_(options.tokens) {
  for (const ValidationSetting& setting : options.settings) {
    const ExampleSource source(data_of(setting));
    const std::uint64_t seed = setting_seed(options.seed, setting.name);
    const int mine = (setting.count - share.rank + share.size - 1) / share.size;
    std::vector<Batch> singles(static_cast<std::size_t>(std::max(0, mine)));
    parallel_for(singles.size(), threads, [&](std::size_t i) {
      const auto number = static_cast<std::uint64_t>(share.rank) + i * static_cast<std::uint64_t>(share.size);
      const BatchPlan plan{0, 0, number, setting.nodes, setting.rows, 1};
      singles[i] = make_batch(source, plan, seed, /*pinned=*/false);
    });
    std::vector<at::Tensor> data, prior, pairs, adjacency, labels;
    for (const Batch& single : singles) {
      data.push_back(single.input.data);
      prior.push_back(single.input.prior);
      if (single.input.pairs.defined()) pairs.push_back(single.input.pairs);
      adjacency.push_back(single.adjacency);
      if (single.labels.defined()) labels.push_back(single.labels);
    }
    Set set{setting.name, {}};
    if (!singles.empty()) {
      set.batch.input.data = at::cat(data);
      set.batch.input.prior = at::cat(prior);
      if (!pairs.empty()) set.batch.input.pairs = at::cat(pairs);
      set.batch.adjacency = at::cat(adjacency);
      if (!labels.empty()) set.batch.labels = at::cat(labels);
      if (setting.subsets) {
        std::vector<std::uint32_t> numbers;
        for (int i = 0; i < mine; ++i)
          numbers.push_back(static_cast<std::uint32_t>(share.rank + i * share.size));
        add_estimates(set.batch.input, *setting.subsets, setting.subsets->count, seed, numbers, threads);
      }
    }
    sets_.push_back(std::move(set));
  }
}

std::vector<ValidationScore> Validation::measure(const ModelParams& params, const ModelConfig& config,
                                                 at::Device device, ProcessGroup* group) const {
  const auto settings = static_cast<std::int64_t>(sets_.size());
  const auto K = static_cast<std::int64_t>(config.outputs.size());
  const std::int64_t feedback = place_of(config.outputs, PairOutput::kFeedback);
  at::Tensor sums = at::zeros({settings, 1 + K, 2}, at::kDouble);  // of scores, and how many
  for (std::int64_t s = 0; s < settings; ++s) {
    const Set& set = sets_[static_cast<std::size_t>(s)];
    const at::Tensor& data = set.batch.input.data;
    if (!data.defined()) continue;
    const std::int64_t count = data.size(0);
    const std::int64_t at_once = std::max<std::int64_t>(1, tokens_ / (data.size(1) * data.size(2)));
    for (std::int64_t begin = 0; begin < count; begin += at_once) {
      const std::int64_t size = std::min(at_once, count - begin);
      ModelInput input;
      input.data = data.narrow(0, begin, size).to(device);
      input.prior = set.batch.input.prior.narrow(0, begin, size).to(device);
      const auto part = [&](const at::Tensor& tensor) {
        return tensor.defined() ? tensor.narrow(0, begin, size).to(device) : tensor;
      };
      input.pairs = part(set.batch.input.pairs);
      input.subsets = part(set.batch.input.subsets);
      input.estimates = part(set.batch.input.estimates);
      const at::Tensor probabilities = pair_probabilities(params, config, input).to(at::kCPU);
      for (std::int64_t b = 0; b < size; ++b) {
        const at::Tensor both = feedback >= 0 ? set.batch.labels[begin + b][feedback] : at::Tensor();
        add_score(
            average_precision(as_matrix(probabilities[b][0]), to_graph(set.batch.adjacency[begin + b], both)),
            sums[s][0]);
        for (std::int64_t k = 0; k < K; ++k)
          add_score(skeleton_average_precision(as_matrix(probabilities[b][1 + k]),
                                               to_links(set.batch.labels[begin + b][k])),
                    sums[s][1 + k]);
      }
    }
  }
  if (group) {
    at::Tensor shared = sums.to(device);
    group->sum(shared);
    sums = shared.to(at::kCPU);
  }
  std::vector<ValidationScore> scores;
  for (std::int64_t s = 0; s < settings; ++s) {
    const auto mean = [&](std::int64_t part) {
      const double measured = sums[s][part][1].item<double>();
      return measured > 0.0 ? std::optional(sums[s][part][0].item<double>() / measured) : std::nullopt;
    };
    ValidationScore& score =
        scores.emplace_back(ValidationScore{sets_[static_cast<std::size_t>(s)].name, mean(0).value_or(0.0)});
    for (std::int64_t k = 0; k < K; ++k)
      if (const auto precision = mean(1 + k))
        score.outputs.emplace_back(name_of(kPairOutputNames, config.outputs[static_cast<std::size_t>(k)]),
                                   *precision);
  }
  return scores;
}

}  // namespace causcale
