#include "causcale/read.h"
#include "data/reader.h"

namespace causcale {

Dataset read_table(const std::filesystem::path& path, const ReadTableOptions& options) {
  ReadOptions how;
  how.interventions.file = options.interventions;
  how.label_column = options.label_column;
  if (!options.control_labels.empty()) how.interventions.control_labels = options.control_labels;
  how.select = options.select;
  how.exclude = options.exclude;
  how.missing = options.drop_missing ? MissingPolicy::kDrop : MissingPolicy::kKeep;
  return read_dataset(path, how);
}

}  // namespace causcale
