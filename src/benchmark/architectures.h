// CauScale, AVICI and SEA on equal terms: the same simulated worlds and seeds, the same minutes of training,
// the same test data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/plot.h"
#include "benchmark/studies.h"

namespace causcale {

struct ArchitectureRequest {
  std::vector<std::string> architectures = {"causcale", "avici", "sea"};
  std::filesystem::path folder;  // <folder>/<architecture>.json and the run <folder>/<architecture>/
  double minutes = 20.0;         // of training, each
  std::string train_nodes = "10-100";
  int train_rows = 1000;
  std::int64_t tokens = 640000;  // as in training configurations
  bool tiny = false;             // models of a few thousand weights, to see how it works
  StudyRequest study;            // sizes, rows, graphs and seed of the test data
};

// A training configuration (see learn/config/config.h). But for "model" they are alike. Throws UsageError for
// an unknown architecture.
std::string architecture_config(const std::string& architecture, const ArchitectureRequest& request);

// <folder>/<architecture>/model.safetensors
std::filesystem::path architecture_model(const std::string& architecture, const ArchitectureRequest& request);
// Minutes that the run has been trained for, by its model's card; 0 when there is none yet.
double trained_minutes(const std::string& architecture, const ArchitectureRequest& request);

// Every trained model at every size, each figure the mean over linear, nn and nn_add.
Study architectures_study(const ArchitectureRequest& request);

// Mean validation mAP (percent) against minutes of training, from the runs' logs.
Plot training_curves(const ArchitectureRequest& request);

}  // namespace causcale
