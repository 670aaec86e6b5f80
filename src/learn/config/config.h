// Everything a training run is made of, as read from a JSON file with // comments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/weighted.h"
#include "causcale/discover.h"
#include "core/config.h"
#include "learn/config/sergio_data.h"
#include "learn/optimise/acyclicity.h"
#include "learn/optimise/adamw.h"
#include "learn/optimise/muon.h"
#include "learn/optimise/schedule.h"
#include "learn/optimise/step_guard.h"
#include "learn/optimise/weights.h"

namespace causcale {

// Both ends included; drawn so that each doubling is equally likely.
struct SizeRange {
  int low = 0;
  int high = 0;
  int draw(RandomStream& random) const;
};

// What the data sets of a stage look like. Fractions are the shares of data sets to which something is done.
struct DataOptions {
  Weighted<SizeRange> nodes{SizeRange{20, 20}};   // one draw per batch
  Weighted<SizeRange> rows{SizeRange{500, 500}};  // one draw per batch
  // One draw per data set each.
  Weighted<std::string> families{"synthetic"};  // "synthetic", "sergio" or "world"
  Weighted<std::string> worlds{"strength"};     // for data sets of the last: names of simulate/worlds/world.h
  SergioDataOptions sergio;                     // for data sets of that family
  Weighted<double> edges_per_node{2.0};
  Weighted<std::string> graphs{"er"};
  Weighted<std::string> mechanisms{"linear"};
  Weighted<std::string> noises{"gaussian"};
  Weighted<std::string> couplings{"additive"};
  Weighted<std::string> roots{"uniform"};
  Weighted<std::string> interventions{"perfect"};

  // The paper's kind of table, whatever the shares and distributions below say: Gaussian additive noise,
  // uniform roots, a perfect intervention on every variable, all measured as they are.
  double plain = 0.0;
  double mixed_mechanisms = 0.0;      // every node its own draw from `mechanisms`
  double varied_noise = 0.0;          // noise 1/4 to 4 times as large as usual
  double uneven_noise = 0.0;          // some variables vary much, others hardly
  double weak_effects = 0.0;          // parents' effects 1/16 to 1 times as large as usual
  double varied_interventions = 0.0;  // values of perfect interventions elsewhere than in (-1, 1)
  double observational = 0.0;         // no interventions at all
  double partial_coverage = 0.0;      // a random part of the nodes is never intervened on
  double several_targets = 0.0;       // two or three variables intervened on at once
  double hidden_flags = 0.0;          // interventions happened, but nobody says where
  double hidden_variables = 0.0;      // some variables are not in the table
  int hidden_variables_at_most = 3;
  double random_units = 0.0;        // each column times its own positive constant
  double random_units_spread = 10;  // constants lie between 1 / spread and spread
  double mirrored_columns = 0.0;    // each column measured downwards (x -> -x) with probability 1/2
  double messy_columns = 0.0;  // measurement error, outliers, rounding, ordinal, count, zero-inflated columns
  double shuffled_rows = 0.0;  // otherwise grouped by regime
  bool logarithms = false;     // log(1 + x) is shown, as discover does for models with a `transform`
  double standardized_prior = 0.0;  // otherwise from raw data
  double prior_subset = 0.0;        // prior from some rows only, otherwise from all
  int prior_subset_rows = 500;
  double missing_cells = 0.0;            // up to 40 % of a table's cells are missing
  double told_knowledge = 0.0;           // of the true graph, to models that take it
  InputChannels channels;                // the model's
  PairOutputs outputs;                   // the model's, whose truth every example has
  std::optional<SubsetOptions> subsets;  // what SEA is told, too
};

struct Stage {
  std::string name;
  std::int64_t steps = 0;        // either steps ...
  double minutes = 0.0;          // ... or training time
  double learning_rate = 1.0;    // factor of the optimisers' rates
  std::int64_t tokens = 640000;  // batch size * rows * nodes stays below
  int max_batch = 256;
  int accumulate = 1;  // batches of a step, each with sizes of its own; their gradients are averaged
  std::string folder;  // data sets from files instead of simulated ones
  DataOptions data;
};

struct ValidationSetting {
  InputChannels channels;                // the model's
  PairOutputs outputs;                   // likewise
  std::optional<SubsetOptions> subsets;  // what SEA is told, too
  std::string name;
  std::string family = "synthetic";
  std::string world = "strength";  // of the family "world"
  std::string graph = "er";
  std::string mechanism = "linear";
  int nodes = 20;
  double edges_per_node = 2.0;
  int rows = 1000;
  int count = 16;
  bool observational = false;
  bool standardized_prior = false;
  bool logarithms = false;
  SergioDataOptions sergio;
};

struct ValidationOptions {
  double every_minutes = 0.0;  // 0 = by steps only
  std::int64_t every_steps = 0;
  std::uint64_t seed = 20240;
  std::int64_t tokens = 1600000;
  std::vector<ValidationSetting> settings;
};

enum class SimulateOn {
  kCpu,
  kGpu,
  kAuto,  // on the GPU where training runs on one
};

struct TrainConfig {
  ModelConfig model;
  Precision precision = Precision::kAuto;  // auto: bf16 on CUDA, fp32 on the CPU
  std::uint64_t seed = 1;
  SimulateOn simulate_on = SimulateOn::kCpu;
  // What discover is told about the model; auto or 0: its defaults.
  PriorUnits prior_scale = PriorUnits::kAuto;
  ValueTransform transform = ValueTransform::kAuto;  // log1p: logarithms of counts, in training too
  std::int64_t usual_rows = 0;                       // of a pass through the network
  int views = 0;  // times that it sees them, with different columns mirrored
  OptimiserKind optimiser = OptimiserKind::kMuon;
  double muon_learning_rate = 0.02;
  MuonOptions muon;
  double adamw_learning_rate = 1e-3;
  AdamWOptions adamw;
  double clip_norm = 1.0;  // of AdamW's part; 0 = no clipping
  ScheduleOptions schedule;
  double dropout = 0.0;             // of the sublayers' outputs, in training only
  double average_decay = 0.0;       // moving average of the weights; 0 = none
  AcyclicityOptions acyclicity;     // of AVICI's loss
  double output_loss_weight = 0.5;  // of each of the model's outputs, beside the cross entropy of edges
  StepGuardOptions guard;
  int rollback_after = 30;  // refused steps in a row
  std::int64_t log_every = 10;
  double checkpoint_minutes = 3.0;
  std::vector<Stage> stages;
  ValidationOptions validation;

  bool timed() const { return stages.front().steps == 0; }
  // Steps or seconds, as the stages count.
  double total_length() const;
  // The stage in which a run is that has done so many steps or trained so many seconds.
  std::size_t stage_at(double done) const;
  // Changes when a resumed run would compute something else: model, optimiser and weights' layout.
  std::string resume_key() const;
};

TrainConfig parse_train_config(const std::string& text, const std::string& file);
// Of a file; where its key "extends" names another one, relative to it, together with that.
TrainConfig read_train_config(const std::filesystem::path& file);
std::string whole_config_text(const std::filesystem::path& file);

}  // namespace causcale
