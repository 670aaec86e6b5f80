#include "train/validation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "metrics/average_precision.h"
#include "model/sea.h"

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
  return data;
}

Matrix<double> to_matrix(const at::Tensor& square) {
  const at::Tensor values = square.to(at::kDouble).contiguous();
  const double* first = values.data_ptr<double>();
  const auto n = static_cast<std::size_t>(values.size(0));
  return Matrix<double>(n, n, std::vector<double>(first, first + n * n));
}

Digraph to_graph(const at::Tensor& adjacency) {
  const std::uint8_t* first = adjacency.data_ptr<std::uint8_t>();
  const auto n = static_cast<std::size_t>(adjacency.size(0));
  return Digraph::from_adjacency(Matrix<std::uint8_t>(n, n, std::vector<std::uint8_t>(first, first + n * n)));
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
    std::vector<at::Tensor> data, prior, pairs, adjacency;
    for (const Batch& single : singles) {
      data.push_back(single.input.data);
      prior.push_back(single.input.prior);
      if (single.input.pairs.defined()) pairs.push_back(single.input.pairs);
      adjacency.push_back(single.adjacency);
    }
    Set set{setting.name, {}};
    if (!singles.empty()) {
      set.batch.input.data = at::cat(data);
      set.batch.input.prior = at::cat(prior);
      if (!pairs.empty()) set.batch.input.pairs = at::cat(pairs);
      set.batch.adjacency = at::cat(adjacency);
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
  at::Tensor sums = at::zeros({settings, 2}, at::kDouble);  // of scores, and how many
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
      const at::Tensor probabilities = edge_probabilities(params, config, input).to(at::kCPU);
      for (std::int64_t b = 0; b < size; ++b) {
        const double score =
            average_precision(to_matrix(probabilities[b]), to_graph(set.batch.adjacency[begin + b]));
        if (!std::isfinite(score)) continue;  // a graph without edges says nothing
        sums[s][0] += score;
        sums[s][1] += 1.0;
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
    const double measured = sums[s][1].item<double>();
    scores.push_back({sets_[static_cast<std::size_t>(s)].name,
                      measured > 0.0 ? sums[s][0].item<double>() / measured : 0.0});
  }
  return scores;
}

}  // namespace causcale
