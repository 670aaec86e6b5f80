#include "discover/stacking/stacking_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/safetensors.h"
#include "causcale/error.h"
#include "data/standardize.h"
#include "discover/estimate.h"
#include "methods/column_codes.h"
#include "methods/imputation.h"

namespace causcale {
namespace {

template <class T>
TensorView view_of(const std::string& name, const char* dtype, const Matrix<T>& matrix) {
  return {name,
          dtype,
          {static_cast<std::int64_t>(matrix.rows()), static_cast<std::int64_t>(matrix.cols())},
          std::as_bytes(std::span(matrix.values()))};
}

template <class T>
void read_into(const SafetensorsContent& content, const std::string& name, const std::string& file,
               std::span<T> out) {
  for (const TensorView& tensor : content.tensors)
    if (tensor.name == name && tensor.bytes.size() == out.size_bytes()) {
      std::memcpy(out.data(), tensor.bytes.data(), out.size_bytes());
      return;
    }
  throw InputError(fmt::format("{}: no tensor '{}' of {} bytes", file, name, out.size_bytes()));
}

}  // namespace

StackingExample make_stacking_example(const StackingTable& table, const LoadedModel& loaded) {
  DiscoverOptions options;
  options.threads = 1;
  const Dataset& dataset = table.dataset;
  const Dataset complete = missing_cells(dataset.table) > 0 ? with_imputed_cells(dataset, 0, 1) : dataset;
  const Settings settings = settle(options, loaded, dataset.table.rows(), dataset.table.cols());
  const Dataset ordered = in_canonical_order(complete, 1);
  const std::span<const Dataset> one(&ordered, 1);
  const std::vector<float> priors = make_priors(settings, one, {.scale = settings.prior_scale, .rows = {}});
  JoinedAnswer network = std::move(joined_answers(settings, one, priors, 0).front());
  PairStatistics statistics = pair_statistics(ordered, network, 1);
  return {table.world, std::move(statistics), std::move(network.said), table.adjacency, table.confounded};
}

void write_stacking_example(const StackingExample& example, const std::filesystem::path& file) {
  const PairStatistics& statistics = example.statistics;
  const Matrix<float> table(1, statistics.table.size(), statistics.table);
  SafetensorsContent content;
  content.metadata = {{"world", example.world},
                      {"columns", std::to_string(statistics.columns)},
                      {kStackingKey, std::to_string(kPairInputVersion)}};
  content.tensors = {view_of("network", "F64", example.network.edges),
                     view_of("directed", "F32", statistics.directed),
                     view_of("symmetric", "F32", statistics.symmetric),
                     view_of("nodes", "F32", statistics.nodes),
                     view_of("table", "F32", table),
                     view_of("adjacency", "U8", example.adjacency),
                     view_of("confounded", "U8", example.confounded)};
  if (!example.network.feedback.empty())
    content.tensors.push_back(view_of("network_feedback", "F64", example.network.feedback));
  if (!example.network.confounded.empty())
    content.tensors.push_back(view_of("network_confounded", "F64", example.network.confounded));
  write_safetensors(file, content);
}

StackingExample read_stacking_example(const std::filesystem::path& file) {
  const SafetensorsFile stored(file);
  const SafetensorsContent& content = stored.content();
  const auto metadata = [&](const std::string& key) {
    const auto found = content.metadata.find(key);
    if (found == content.metadata.end())
      throw InputError(fmt::format("{}: no \"{}\" in its metadata", file.string(), key));
    return found->second;
  };
  if (metadata(kStackingKey) != std::to_string(kPairInputVersion))
    throw InputError(fmt::format("{}: made by another version of the program", file.string()));
  const std::size_t n = content.tensors.empty() ? 0 : [&] {
    for (const TensorView& tensor : content.tensors)
      if (tensor.name == "network" && tensor.shape.size() == 2 && tensor.shape[0] == tensor.shape[1])
        return static_cast<std::size_t>(tensor.shape.front());
    return std::size_t{0};
  }();
  if (n < 2) throw InputError(fmt::format("{}: no tensor 'network'", file.string()));
  StackingExample example{metadata("world"),
                          PairStatistics(n),
                          {Matrix<double>(n, n), {}, {}},
                          Matrix<std::uint8_t>(n, n),
                          Matrix<std::uint8_t>(n, n)};
  const std::string name = file.string();
  read_into(content, "network", name, std::span(example.network.edges.values()));
  for (const auto& [tensor, told] : {std::pair("network_feedback", &example.network.feedback),
                                     std::pair("network_confounded", &example.network.confounded)})
    if (std::ranges::any_of(content.tensors,
                            [name = tensor](const TensorView& view) { return view.name == name; })) {
      *told = Matrix<double>(n, n);
      read_into(content, tensor, name, std::span(told->values()));
    }
  read_into(content, "directed", name, std::span(example.statistics.directed.values()));
  read_into(content, "symmetric", name, std::span(example.statistics.symmetric.values()));
  read_into(content, "nodes", name, std::span(example.statistics.nodes.values()));
  read_into(content, "table", name, std::span(example.statistics.table));
  read_into(content, "adjacency", name, std::span(example.adjacency.values()));
  read_into(content, "confounded", name, std::span(example.confounded.values()));
  return example;
}

}  // namespace causcale
