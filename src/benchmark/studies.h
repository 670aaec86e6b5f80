// The benchmarks: one function a table or picture of the paper, each turning what the user asked for into a
// study.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark/study.h"

namespace causcale {

struct StudyRequest {
  // What is left out is as in the paper, or small with `quick`.
  std::vector<std::string> sizes;       // "100" (the paper's number of edges, else two per node) or "100:400"
  std::vector<std::string> mechanisms;  // names of simulate/names.h, "sigmoid", "synthetic" and "sergio"
  std::vector<int> rows;                // several only where the study is about the number of rows
  int sergio_rows = 0;
  int graphs = 0;
  bool quick = false;  // 20 variables, 500 rows, two graphs, no SERGIO
  std::uint64_t seed = 0;

  bool network = true;
  std::string model, sergio_model;        // the latter for SERGIO data; empty: the shipped ones of either
  std::optional<PriorUnits> prior_units;  // absent: raw for simulated data, as discover for real ones
  std::optional<std::size_t> prior_rows;
  std::size_t max_samples = 0;
  int ensemble = 0;
  int views = 0;
  std::vector<std::string> methods;  // competing methods; "all" stands for every one
  bool paper_methods = false;        // rows of the paper's other methods, too

  // For single studies.
  std::vector<int> hidden;                                              // hidden: numbers of variables
  std::vector<int> prior_sizes;                                         // prior: numbers of rows
  std::filesystem::path folder;                                         // real
  std::vector<std::pair<std::string, std::filesystem::path>> variants;  // ablation: name and weight file
};

// All throw UsageError when the request makes no sense.
Study table1_study(const StudyRequest& request);
Study cyclicity_study(const StudyRequest& request);
Study aid_study(const StudyRequest& request);
Study observational_study(const StudyRequest& request);
Study hidden_study(const StudyRequest& request);
Study prior_study(const StudyRequest& request);
Study samples_study(const StudyRequest& request);
Study ood_study(const StudyRequest& request);
Study ablation_study(const StudyRequest& request);
Study cost_study(const StudyRequest& request);
Study real_study(const StudyRequest& request);

struct StudyEntry {
  std::string_view name, summary;
  Study (*make)(const StudyRequest& request);
};
// In the order in which they are to be listed.
const std::vector<StudyEntry>& study_entries();

}  // namespace causcale
