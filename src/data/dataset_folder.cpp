#include "data/dataset_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/parallel.h"
#include "causcale/error.h"
#include "data/reader.h"
#include "graph/graph_file.h"

namespace causcale {

namespace {

namespace fs = std::filesystem;

fs::path data_file(const fs::path& folder) {
  return fs::exists(folder / "data.csv") ? folder / "data.csv" : folder / "data.npy";
}

bool holds_dataset(const fs::path& folder) {
  return fs::exists(data_file(folder)) && fs::exists(folder / "truth.csv");
}

Digraph read_truth(const fs::path& path, const std::vector<std::string>& columns) {
  const GraphFile file = read_graph_file(path);
  std::map<std::string, int> column_of;
  for (std::size_t i = 0; i < columns.size(); ++i) column_of[columns[i]] = static_cast<int>(i);
  const auto column = [&](int node) {
    const auto found = column_of.find(file.names[static_cast<std::size_t>(node)]);
    if (found == column_of.end())
      throw InputError(fmt::format("{}: \"{}\" is no column of the data beside it", path.string(),
                                   file.names[static_cast<std::size_t>(node)]));
    return found->second;
  };
  std::vector<Edge> edges;
  if (file.is_edge_list || file.is_sparse) {
    for (const StoredEdge& edge : file.edges)
      if (edge.score != 0.0) edges.push_back({column(edge.source), column(edge.target)});
  } else {
    for (std::size_t i = 0; i < file.matrix.rows(); ++i)
      for (std::size_t j = 0; j < file.matrix.cols(); ++j)
        if (file.matrix(i, j) != 0.0)
          edges.push_back({column(static_cast<int>(i)), column(static_cast<int>(j))});
  }
  return Digraph(static_cast<int>(columns.size()), std::move(edges));
}

}  // namespace

KnownDataset read_known_dataset(const fs::path& folder) {
  ReadOptions options;
  if (fs::exists(folder / "interventions.csv")) options.interventions.file = folder / "interventions.csv";
  KnownDataset known;
  known.file = data_file(folder);
  known.dataset = read_dataset(known.file, options);
  known.graph = read_truth(folder / "truth.csv", known.dataset.table.names);
  return known;
}

std::vector<fs::path> find_datasets(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw InputError(fmt::format("{}: no such folder", folder.string()));
  std::vector<fs::path> found;
  if (holds_dataset(folder)) found.push_back(folder);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory() && holds_dataset(entry.path())) found.push_back(entry.path());
  if (found.empty())
    throw InputError(fmt::format("{}: no data set in it (a folder with data.csv or data.npy and truth.csv)",
                                 folder.string()));
  std::sort(found.begin(), found.end());  // the order of the file system is not to be relied on
  return found;
}

DatasetFolder::DatasetFolder(const fs::path& folder, int threads) {
  const std::vector<fs::path> found = find_datasets(folder);
  datasets_.resize(found.size());
  parallel_for(found.size(), threads, [&](std::size_t i) { datasets_[i] = read_known_dataset(found[i]); });
}

const KnownDataset& DatasetFolder::draw(RandomStream& random) const {
  return datasets_[random.below(static_cast<std::uint32_t>(datasets_.size()))];
}

const KnownDataset& DatasetFolder::draw(int rows, int nodes, RandomStream& random) const {
  const std::vector<std::size_t> candidates = of_shape(rows, nodes);
  return datasets_[candidates[random.below(static_cast<std::uint32_t>(candidates.size()))]];
}

std::vector<std::size_t> DatasetFolder::of_shape(int rows, int nodes) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < datasets_.size(); ++i)
    if (datasets_[i].dataset.table.rows() == static_cast<std::size_t>(rows) &&
        datasets_[i].dataset.table.cols() == static_cast<std::size_t>(nodes))
      result.push_back(i);
  return result;
}

}  // namespace causcale
