// Gene expression as training data: what a data set of the SERGIO simulator is made of, drawn per data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/weighted.h"
#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "causcale/table.h"
#include "simulate/sergio.h"

namespace causcale {

// Both ends included, every value equally likely.
struct CountRange {
  int low = 0;
  int high = 0;
};

// The defaults are the paper's: counts of 10x-chromium, neither logarithms nor unperturbed cells.
struct SergioDataOptions {
  // Empty: the graphs and edges per node of the stage.
  Weighted<std::string> graphs;
  Weighted<double> edges_per_node;
  Weighted<double> attachment_power{1.0};  // scale-free graphs
  double reverse_edges = 0.0;              // share of data sets with every edge turned round
  Weighted<int> blocks{5};                 // stochastic block model

  Weighted<CountRange> cell_types{CountRange{5, 10}};
  Weighted<std::string> perturbations{"knockout"};
  Weighted<std::string> profiles{"10x-chromium"};  // "none": clean expression
  Weighted<std::string> transforms{"none"};
  Weighted<double> wild_type_share{0.0};  // of the rows
  Weighted<double> hill = equally_likely({1.9, 2.0, 2.1});
  Weighted<double> decay = equally_likely({0.7, 0.8, 0.9});
  Weighted<double> noise = equally_likely({0.9, 1.0, 1.1});
  // Trajectories are as long as those of a data set of so many rows; 0: of the rows at hand. The simulator
  // starts at the expected steady state, so few rows mean short trajectories that hardly leave it.
  int window_rows = 0;

  static Weighted<double> equally_likely(std::initializer_list<double> values) {
    Weighted<double> result;
    for (const double value : values) result.add(value, 1.0);
    return result;
  }
};

enum class ExpressionTransform { kNone, kLog1p };

// A data set before its cells are simulated.
struct SergioDataPlan {
  SergioPlan cells;
  std::vector<int> visible;  // genes in the table
  ExpressionTransform transform = ExpressionTransform::kNone;
  std::vector<double> factor;  // of every column; empty: units as they are
};

struct SergioData {
  Dataset dataset;                  // rows grouped by perturbed gene, unperturbed ones last
  Digraph graph;                    // of the genes in the table
  Matrix<std::uint8_t> confounded;  // [n, n], symmetric: regulated by the same gene that is not in the table
};

// What the shares of the stage have decided for one data set.
struct SergioCircumstances {
  int hidden = 0;         // genes of highest out-degree that are not in the table
  double coverage = 1.0;  // share of the genes that are perturbed; 0 = no perturbation at all
  double unit_spread = 1.0;
};

class SergioSource {
 public:
  // Throws InputError when a name is unknown.
  SergioSource(const SergioDataOptions& options, const Weighted<std::string>& graphs,
               const Weighted<double>& edges_per_node);

  // Both are pure functions of their arguments and the options; safe from any thread.
  SergioDataPlan plan(int rows, int nodes, const SergioCircumstances& circumstances, std::uint64_t seed,
                      std::uint32_t dataset) const;
  SergioData make(int rows, int nodes, const SergioCircumstances& circumstances, std::uint64_t seed,
                  std::uint32_t dataset) const;

 private:
  SergioOptions draw_options(int rows, int genes, double coverage, RandomStream& random) const;

  SergioDataOptions options_;
  Weighted<GraphModel> graphs_;
  Weighted<double> edges_per_node_;
  Weighted<PerturbationKind> perturbations_;
  Weighted<NoiseProfile> profiles_;
  Weighted<ExpressionTransform> transforms_;
};

}  // namespace causcale
