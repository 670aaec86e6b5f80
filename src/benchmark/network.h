// The network as benchmarks run it: loaded once, kept on its device, timed and its memory watched.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "benchmark/measures.h"
#include "benchmark/task.h"
#include "discover/settings.h"

namespace causcale {

struct NetworkAnswer {
  Matrix<double> probabilities, feedback;  // feedback: where the model tells, else empty
  // seconds (from the table in memory to probabilities in memory: row order, prior, network), seconds_prior,
  // seconds_network, peak_bytes (beyond what was in use before), planned_bytes, rows, rows_per_pass, passes,
  // and what cost_measures says.
  Measures measures;
};

class BenchmarkNetwork {
 public:
  // Throws UsageError or InputError: an unknown model, no such device.
  BenchmarkNetwork(const std::string& model, PriorUnits units, Device device, Precision precision,
                   int threads);

  // All that decides what it answers, and on what.
  nlohmann::json describe() const;

  NetworkAnswer answer(const Dataset& dataset, const Contender& contender, std::uint64_t seed);

 private:
  Settings settings_for(const Contender& contender, std::size_t rows, std::size_t columns) const;
  void warm_up(const Dataset& dataset, Settings settings);

  DiscoverOptions options_;
  LoadedModel loaded_;
  int threads_;
  std::size_t warm_rows_ = 0, warm_columns_ = 0;  // the shape of the last pass
  std::int64_t warm_bytes_ = 0;                   // most memory of its untimed passes, on CUDA
};

// Arithmetic and memory of one pass by formula: flops and flops_unreduced (the same without the reduction
// unit), formula_bytes (the paper's peak memory), sample_axis_share and node_axis_share (what the reduction
// leaves of the attention's arithmetic).
Measures cost_measures(const ModelConfig& config, std::int64_t rows, std::int64_t columns,
                       std::int64_t element_bytes);

}  // namespace causcale
