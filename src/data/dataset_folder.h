// Data sets with known graphs from files, as `causcale simulate --count` writes them: a folder with
// subfolders that each hold data.csv (or data.npy), truth.csv and, if there were interventions,
// interventions.csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/table.h"

namespace causcale {

struct KnownDataset {
  Dataset dataset;
  Digraph graph;
  std::filesystem::path file = {};  // of the table
};

// The folder itself, if it holds a data set, and all folders below it that do, sorted. Throws InputError when
// there is none.
std::vector<std::filesystem::path> find_datasets(const std::filesystem::path& folder);
// The data set in one folder. Throws InputError naming the file.
KnownDataset read_known_dataset(const std::filesystem::path& folder);

class DatasetFolder {
 public:
  // Reads everything into memory. 0 threads = all cores. Throws InputError naming the file.
  DatasetFolder(const std::filesystem::path& folder, int threads);

  std::size_t size() const { return datasets_.size(); }
  const std::vector<KnownDataset>& datasets() const { return datasets_; }
  // One of them at random.
  const KnownDataset& draw(RandomStream& random) const;
  // One at random among those of this shape; there must be one.
  const KnownDataset& draw(int rows, int nodes, RandomStream& random) const;
  std::size_t count(int rows, int nodes) const { return of_shape(rows, nodes).size(); }

 private:
  std::vector<std::size_t> of_shape(int rows, int nodes) const;

  std::vector<KnownDataset> datasets_;
};

}  // namespace causcale
