// One training example: a data set, simulated or from files, as the network takes it, with what real tables
// put in the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/dataset_folder.h"
#include "learn/config/config.h"
#include "learn/config/sergio_data.h"
#include "prior/precision.h"
#include "simulate/causal_model.h"
#include "simulate/synthetic.h"
#include "simulate/worlds/world.h"

namespace causcale {

// What is true of an example's pairs beside its graph: [n, n], symmetric, 1 or 0; empty where nobody knows or
// the model is not to say it.
struct PairTruth {
  Matrix<std::uint8_t> feedback;    // both directions
  Matrix<std::uint8_t> confounded;  // a hidden variable with paths to both that pass hidden ones only
};

// In labels: nobody knows.
inline constexpr std::int8_t kUnknownPair = -1;
// [outputs, n, n], row-major: 1, 0, or kUnknownPair.
void write_labels(const PairTruth& truth, const PairOutputs& outputs, std::size_t nodes, std::int8_t* out);

// Where an example is written to, row-major.
struct ExampleView {
  int rows, nodes;
  float* data;                    // [m, n, 2 + channels]: standardised value, intervention flag, channels
  float* prior;                   // [n, n]
  std::uint8_t* adjacency;        // [n, n], 1 at i -> j
  float* pairs = nullptr;         // [n, n, channels of pairs]; null where there are none
  std::int8_t* labels = nullptr;  // [outputs, n, n], as write_labels(); null where there are none
};

// How a table is shown to the network.
struct InputDraw {
  bool flags = true;               // whether interventions are told
  std::vector<std::size_t> order;  // of the rows
  PriorOptions prior;
};

// An example before any row of it is sampled.
struct ExampleRecipe {
  CausalModel model;
  InputDraw input;

  PairTruth truth() const;
};

struct ExpressionRecipe {
  SergioDataPlan data;
  InputDraw input;

  PairTruth truth() const;
};

enum class DataFamily { kSynthetic, kSergio, kWorld };

class ExampleSource {
 public:
  // Throws InputError when a name of a graph model, a mechanism or a distribution is unknown.
  explicit ExampleSource(const DataOptions& options);
  // Data sets from files instead; of the options, those that concern what is already measured apply. Throws
  // InputError, too, when logarithms are to be shown that do not exist.
  ExampleSource(const DataOptions& options, std::shared_ptr<const DatasetFolder> folder);
  // What the stage says; its folder is read by so many threads, 0 = all cores.
  ExampleSource(const Stage& stage, int threads);

  // Null when data are simulated.
  const DatasetFolder* folder() const { return folder_.get(); }
  // Whether tables are shown as log(1 + x), before all else.
  bool logarithms() const { return options_.logarithms; }
  // What the model is told beside values, flags and prior.
  const InputChannels& channels() const { return options_.channels; }
  // What it says beside edges.
  const PairOutputs& outputs() const { return options_.outputs; }
  // What SEA is told of every example, too; absent for others.
  const std::optional<SubsetOptions>& subsets() const { return options_.subsets; }
  // What it is told to be required and forbidden of such an example: [n, n].
  Matrix<float> told_knowledge(const Digraph& graph, std::uint64_t seed, std::uint32_t dataset) const;

  // A pure function of its arguments and the options; safe from any thread.
  void make(const ExampleView& view, std::uint64_t seed, std::uint32_t dataset) const;
  // What make() would follow; absent where the table is not just rows of a causal model in some units: from
  // files, of gene expression, with messy columns or blocked nodes.
  std::optional<ExampleRecipe> recipe(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset) const;
  // The same for gene expression; absent where the data set is another.
  std::optional<ExpressionRecipe> expression_recipe(int rows, int nodes, std::uint64_t seed,
                                                    std::uint32_t dataset) const;
  // The table that such an example is made of, as it was before it was prepared for the network.
  Dataset table(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset) const;
  // The same with what is true of it.
  struct Known {
    Dataset table;
    Digraph graph;
    PairTruth pairs;
  };
  Known known(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset) const;

 private:
  using DatasetUse = std::function<void(const Dataset&, const Digraph&, const PairTruth&, RandomStream&)>;
  void draw(int rows, int nodes, std::uint64_t seed, std::uint32_t dataset, const DatasetUse& use) const;
  SyntheticOptions draw_options(int nodes, int rows, RandomStream& random) const;
  InputDraw draw_input(std::size_t rows, RandomStream& random) const;
  SergioCircumstances draw_circumstances(RandomStream& random) const;
  void write(const ExampleView& view, const Dataset& dataset, const Digraph& graph, const PairTruth& truth,
             const Matrix<float>& knowledge, RandomStream& random) const;
  bool loses_cells(std::uint64_t seed, std::uint32_t dataset) const;

  DataOptions options_;
  std::shared_ptr<const DatasetFolder> folder_;
  Weighted<GraphModel> graphs_;
  Weighted<Mechanism> mechanisms_;
  Weighted<NoiseFamily> noises_;
  Weighted<NoiseCoupling> couplings_;
  Weighted<RootDistribution> roots_;
  Weighted<InterventionEffect> interventions_;
  Weighted<DataFamily> families_;
  Weighted<const World*> worlds_;
  SergioSource sergio_;
};

}  // namespace causcale
