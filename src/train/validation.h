// Fixed data sets on which a model is measured while it is being trained.
#pragma once

#include <string>
#include <vector>

#include "model/causcale.h"
#include "train/batches.h"
#include "train/config.h"

namespace causcale {

struct ValidationScore {
  std::string name;
  double average_precision = 0.0;  // mean over the graphs of the setting
};

class Validation {
 public:
  // Simulates all data sets; they depend on the options alone, not on the run. 0 threads = all cores.
  Validation(const ValidationOptions& options, int threads);

  bool empty() const { return sets_.empty(); }
  std::vector<ValidationScore> measure(const ModelParams& params, const ModelConfig& config,
                                       at::Device device) const;

 private:
  struct Set {
    std::string name;
    Batch batch;
  };
  std::vector<Set> sets_;
  std::int64_t tokens_;
};

}  // namespace causcale
