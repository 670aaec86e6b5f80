// Fixed data sets on which a model is measured while it is being trained.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "learn/config/config.h"
#include "learn/data/batches.h"
#include "learn/networks/causcale.h"
#include "learn/processes/process_group.h"

namespace causcale {

struct ValidationScore {
  std::string name;
  double average_precision = 0.0;  // mean over the graphs of the setting
  // Of the model's outputs, over unordered pairs: name and mean over the tables where such a pair exists;
  // those that have no such table are left out.
  std::vector<std::pair<std::string, double>> outputs = {};
};

class Validation {
 public:
  // Simulates the data sets of this share; they depend on the options alone, not on the run. 0 threads = all
  // cores.
  Validation(const ValidationOptions& options, int threads, DataShare share = {});

  bool empty() const { return sets_.empty(); }
  // With a group all processes call it and get the same scores, each having measured its share.
  std::vector<ValidationScore> measure(const ModelParams& params, const ModelConfig& config,
                                       at::Device device, ProcessGroup* group = nullptr) const;

 private:
  struct Set {
    std::string name;
    Batch batch;  // undefined tensors where the share is empty
  };
  std::vector<Set> sets_;
  std::int64_t tokens_;
};

}  // namespace causcale
