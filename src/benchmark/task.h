// What a benchmark measures: a contender on a kind of test data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "causcale/discover.h"
#include "data/dataset_folder.h"
#include "simulate/sergio.h"
#include "simulate/synthetic.h"

namespace causcale {

struct GraphSize {
  int nodes = 0;
  int edges = 0;  // expected number
  bool operator==(const GraphSize&) const = default;
};

// A data set in files, see data/dataset_folder.h.
struct FolderData {
  std::filesystem::path folder;
  std::size_t rows = 0;  // every k-th row, so that about this many remain; 0: all
};

using TestSource = std::variant<SyntheticOptions, SergioOptions, FolderData>;

// Data set number `graph` of a seed; a pure function of its arguments but for `threads`, which changes
// nothing.
KnownDataset make_test_data(const TestSource& source, std::uint64_t seed, std::uint32_t graph, int threads);

// All that decides what the data are; files by content.
nlohmann::json describe_source(const TestSource& source, std::uint64_t seed, std::uint32_t graph);

struct Contender {
  std::string label;       // as tables call it
  std::string paper_name;  // as paper_figures.h calls it; empty where the paper does not have it
  std::string method;      // a competing method of methods/method.h; empty: the network
  // The rest is for the network.
  std::string model;  // as in DiscoverOptions
  PriorUnits prior_units = PriorUnits::kRaw;
  std::optional<std::size_t> prior_rows;  // absent: all
  // One pass over all rows, as in the paper, unless told otherwise; else passes as discover would choose.
  bool one_pass = true;
  std::size_t max_samples = 0;
  int ensemble = 0;
  int views = 0;  // 0: what the model is used to
};

}  // namespace causcale
