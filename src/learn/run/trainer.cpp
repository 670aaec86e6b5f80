#include "learn/run/trainer.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/parallel.h"
#include "base/peak_memory.h"
#include "causcale/error.h"
#include "core/option_names.h"
#include "learn/networks/checkpoint.h"
#include "learn/networks/training_device.h"
#include "learn/run/interruption.h"
#include "learn/run/learner.h"
#include "learn/run/memory_check.h"
#include "learn/run/run_report.h"
#include "learn/run/state_file.h"

namespace causcale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRollbacksAtMost = 3;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processes of one machine share its cores.
int simulation_threads(const TrainOptions& options) {
  if (options.threads > 0 || options.launch.local_size == 1) return options.threads;
  return std::max(1, resolve_threads(0) / options.launch.local_size);
}

// The first process' weights reach the others later.
ModelParams initial_weights(const TrainConfig& config, const TrainOptions& options) {
  if (options.init.empty() || options.launch.rank > 0)
    return initialise_parameters(config.model, config.seed);
  Model model = load_model(options.init);
  const bool causcale = model.config.architecture == Architecture::kCauScale &&
                        config.model.architecture == Architecture::kCauScale;
  if (causcale && model.config.channels != config.model.channels) {  // new ones start at zero
    model.params = widen_inputs(model.params, model.config.channels, config.model.channels);
    model.config.channels = config.model.channels;
  }
  if (causcale && model.config.head == config.model.head && model.config.outputs != config.model.outputs) {
    model.params = widen_outputs(model.params, model.config.outputs, config.model.outputs);
    model.config.outputs = config.model.outputs;
  }
  model.config.reference_columns = config.model.reference_columns;  // weights do not depend on it
  if (!(model.config == config.model)) {
    std::string differences;
    const auto wanted = config.model.to_metadata();
    for (const auto& [key, value] : model.config.to_metadata())
      if (const auto here = wanted.find(key); here == wanted.end() || here->second != value)
        differences += fmt::format("\n  {}: {} there, {} here", key, value,
                                   here == wanted.end() ? "nothing" : here->second);
    throw InputError(fmt::format(
        "{}: these weights belong to another model (architecture {}) than \"model\" describes ({}):{}",
        options.init.string(), architecture_name(model.config.architecture),
        architecture_name(config.model.architecture), differences));
  }
  return std::move(model.params);
}

class Run {
 public:
  // `group` is null for a process on its own.
  Run(const TrainConfig& config, const TrainOptions& options, at::Device device, ProcessGroup* group)
      : config_(config),
        options_(options),
        device_(device),
        group_(group),
        learner_(config, initial_weights(config, options), device_, at::kFloat, {.plain = options.plain},
                 group),
        report_(config, learner_.layout(), device_, options.launch.size, options.quiet || !first()) {
    if (first()) {
      std::filesystem::create_directories(options.out);
      restore_or_refuse();
      report_.open_log(options.out / "metrics.jsonl", position_.step);
      if (!options.config_text.empty())
        write_file_atomically(options.out / "config.json", options.config_text);
    }
    start_alike();
    learner_.seed_dropout(seed_, options.launch.rank);
    const DataShare share{options.launch.rank, options.launch.size};
    validation_.emplace(config.validation, simulation_threads(options), share);
    queue_.emplace(config, seed_, simulation_threads(options), device_.is_cuda(), share, device_);
  }

  TrainResult run();

 private:
  double done() const { return config_.timed() ? position_.seconds : static_cast<double>(position_.step); }
  double progress() const { return done() / config_.total_length(); }
  std::filesystem::path state_path() const { return options_.out / "checkpoint.safetensors"; }

  bool first() const { return options_.launch.rank == 0; }
  // What depends on the clock or on signals, the first process decides for all.
  std::vector<double> agreed(const std::vector<double>& mine) {
    return group_ ? group_->from_first(mine) : mine;
  }
  void restore_or_refuse();
  // All processes take over the first one's position and state.
  void start_alike();
  void share_state();
  void enter_stage(std::size_t stage);
  void take_step();
  void begin_log_entry();
  // May roll back, when too many steps in a row were refused.
  void finish_log_entry();
  void roll_back();
  void validate();
  void checkpoint();
  void save();
  bool interrupted(const Interruption& interruption);
  TrainEnd end_by_now(const Interruption& interruption);
  void train_to_the_end(const Interruption& interruption);
  // Work that is not training: its time does not count towards stages and schedule.
  template <class Work>
  double pause_for(const Work& work) {
    synchronise(device_);
    const auto start = Clock::now();
    work();
    const double spent = seconds_since(start);
    last_tick_ = Clock::now();
    return spent;
  }
  bool validation_due() const;
  // Wall time that the end of the run will need.
  double reserve() const;

  const TrainConfig& config_;
  const TrainOptions& options_;
  const Clock::time_point start_ = Clock::now();
  at::Device device_;
  ProcessGroup* group_;
  Learner learner_;
  RunReport report_;
  std::uint64_t seed_ = config_.seed;
  RunPosition position_;
  std::optional<Validation> validation_;
  std::optional<BatchQueue> queue_;

  std::size_t stage_ = 0;
  double factor_ = 0.0;
  Clock::time_point last_tick_, saved_at_, validated_at_;
  std::int64_t validated_step_ = -1, saved_step_ = -1;
  double validation_seconds_ = 0.0, saving_seconds_ = 0.0;
  int rollbacks_ = 0;
  TrainResult result_;
};

void Run::restore_or_refuse() {
  const bool exists = std::filesystem::exists(state_path());
  if (!options_.resume) {
    if (exists)
      throw UsageError(
          fmt::format("{} already holds a run: add --resume to go on with it, or choose another --out",
                      options_.out.string()));
    return;
  }
  if (!exists)
    throw UsageError(
        fmt::format("--resume: {} does not exist; leave --resume out to begin", state_path().string()));
  const SavedRun saved = load_training_state(state_path(), learner_, config_.resume_key());
  position_ = saved.position;
  seed_ = saved.seed;
  report_.say(fmt::format("resumed at step {}, {:.1f} min of training, {} graphs", position_.step,
                          position_.seconds / 60.0, position_.graphs));
}

void Run::start_alike() {
  if (!group_) return;
  const std::string mine = fmt::format("{} {} {} {} {}", position_.step, position_.next_dataset,
                                       position_.seconds, position_.graphs, seed_);
  std::istringstream theirs(group_->from_first(mine));
  theirs >> position_.step >> position_.next_dataset >> position_.seconds >> position_.graphs >> seed_;
  share_state();
}

void Run::share_state() {
  if (!group_) return;
  for (const auto& [name, tensor] : learner_.state()) group_->broadcast(tensor);
  learner_.restored();
}

void Run::enter_stage(std::size_t stage) {
  stage_ = stage;
  queue_->restart(stage, position_.step * config_.stages[stage].accumulate, position_.next_dataset);
  report_.say(
      fmt::format("stage {} of {}: {}", stage + 1, config_.stages.size(), config_.stages[stage].name));
}

void Run::take_step() {
  const Stage& stage = config_.stages[stage_];
  std::vector<Batch> batches;
  for (int part = 0; part < stage.accumulate; ++part) batches.push_back(queue_->next());
  factor_ = learning_rate_factor(config_.schedule, position_.step, progress()) * stage.learning_rate;
  try {
    learner_.step(batches, factor_, position_.step);
  } catch (const c10::OutOfMemoryError&) {
    std::string sizes;
    for (const Batch& batch : batches) {
      const at::Tensor& data = batch.input.data;
      sizes +=
          fmt::format("{}{} x {} x {}", sizes.empty() ? "" : ", ", data.size(0), data.size(1), data.size(2));
    }
    throw Error(
        fmt::format("step {}: the device's memory is too small for its batches (graphs x rows x variables: "
                    "{}); lower \"tokens\" "
                    "of stage '{}' and go on with --resume, {} is whole",
                    position_.step, sizes, stage.name, state_path().string()));
  }
  ++position_.step;
  for (const Batch& batch : batches) position_.graphs += batch.graphs() * options_.launch.size;
  position_.next_dataset = batches.back().next_dataset;
  const auto now = Clock::now();
  position_.seconds += std::chrono::duration<double>(now - last_tick_).count();
  last_tick_ = now;
}

// Waiting for the last entry's counters also keeps the host from running further ahead of the device.
void Run::begin_log_entry() {
  PendingRead counters(learner_.guard().snapshot());
  finish_log_entry();
  report_.begin_entry(std::move(counters), position_, factor_, stage_);
}

void Run::finish_log_entry() {
  const std::optional<StepReport> report = report_.finish_entry(result_.scores);
  if (!report) return;
  result_.refused = report->refused;
  result_.loss = report->mean_loss;
  if (report->refused_in_a_row >= config_.rollback_after) roll_back();
}

void Run::roll_back() {
  if (++rollbacks_ > kRollbacksAtMost)
    throw Error(
        fmt::format("training diverged: {} times {} refused steps in a row; {} holds the last good state. "
                    "Lower the learning rate.",
                    rollbacks_, config_.rollback_after, state_path().string()));
  pause_for([&] {
    // Weights go back, the data go on: the same batches would only lead here again.
    if (first()) load_training_state(state_path(), learner_, config_.resume_key());
    share_state();
    learner_.guard().forget_refusals_in_a_row();
  });
  report_.rolled_back(position_);
}

bool Run::validation_due() const {
  if (validation_->empty() || validated_step_ == position_.step) return false;
  const ValidationOptions& options = config_.validation;
  if (options.every_steps > 0 && position_.step % options.every_steps == 0) return true;
  return options.every_minutes > 0.0 && seconds_since(validated_at_) >= options.every_minutes * 60.0;
}

void Run::validate() {
  validation_seconds_ = pause_for([&] {
    result_.scores = validation_->measure(learner_.evaluation_weights(), config_.model, device_, group_);
  });
  validated_at_ = Clock::now();
  validated_step_ = position_.step;
  report_.validated(position_, result_.scores);
}

void Run::checkpoint() {
  // All hold the same state; if rounding on unlike machines ever drove them apart, it ends here.
  share_state();
  save();
}

void Run::save() {
  saved_at_ = Clock::now();
  saved_step_ = position_.step;
  if (!first()) return;
  saving_seconds_ = pause_for([&] {
    save_training_state(state_path(), learner_, position_, seed_, config_.resume_key());
    std::map<std::string, std::string> remarks = {
        {"training_steps", std::to_string(position_.step)},
        {"training_graphs", std::to_string(position_.graphs)},
        {"training_minutes", fmt::format("{:.2f}", position_.seconds / 60.0)},
        {"training_seed", std::to_string(seed_)}};
    if (config_.prior_scale != PriorUnits::kAuto)
      remarks["prior_scale"] = name_of(kPriorUnitNames, config_.prior_scale);
    if (config_.transform != ValueTransform::kAuto)
      remarks["transform"] = name_of(kTransformNames, config_.transform);
    if (config_.views > 0) remarks["views"] = std::to_string(config_.views);
    if (config_.usual_rows > 0) remarks["usual_rows"] = std::to_string(config_.usual_rows);
    for (const ValidationScore& score : result_.scores)
      remarks["map " + score.name] = fmt::format("{:.4f}", score.average_precision);
    save_model(options_.out / "model.safetensors", config_.model, learner_.evaluation_weights(at::kFloat),
               StoredType::kBF16, remarks);
    save_model(options_.out / "weights.safetensors", config_.model, learner_.latest_weights(at::kFloat),
               StoredType::kF32, remarks);
  });
  saved_at_ = Clock::now();
}

double Run::reserve() const {
  const double unknown = validation_->empty() ? 0.0 : std::min(20.0, 0.1 * *options_.time_budget);
  return 2.0 + 1.5 * (validated_step_ >= 0 ? validation_seconds_ : unknown) + 1.5 * saving_seconds_;
}

bool Run::interrupted(const Interruption& interruption) {
  if (!group_) return interruption.requested();
  if (interruption.requested()) group_->request_stop();
  return first() && group_->stop_requested();
}

TrainEnd Run::end_by_now(const Interruption& interruption) {
  TrainEnd end = TrainEnd::kFinished;
  if (interrupted(interruption)) end = TrainEnd::kInterrupted;
  if (options_.stop_after_step && position_.step >= *options_.stop_after_step)
    end = TrainEnd::kStoppedAfterStep;
  if (options_.time_budget && seconds_since(start_) + reserve() >= *options_.time_budget)
    end = TrainEnd::kTimeBudget;
  return static_cast<TrainEnd>(static_cast<int>(agreed({static_cast<double>(end)})[0]));
}

void Run::train_to_the_end(const Interruption& interruption) {
  if (progress() < 1.0) {
    save();  // something to roll back to
    enter_stage(config_.stage_at(done()));
  }
  result_.end = TrainEnd::kFinished;
  while (progress() < 1.0 && result_.end == TrainEnd::kFinished) {
    if (const std::size_t stage = config_.stage_at(done()); stage != stage_) enter_stage(stage);
    take_step();
    const bool save_due = seconds_since(saved_at_) >= config_.checkpoint_minutes * 60.0;
    const std::vector<double> first_says =
        agreed({position_.seconds, validation_due() ? 1.0 : 0.0, save_due ? 1.0 : 0.0});
    position_.seconds = first_says[0];
    if (position_.step % config_.log_every == 0 || progress() >= 1.0) begin_log_entry();
    if (first_says[1] != 0.0) validate();
    if (first_says[2] != 0.0) {
      finish_log_entry();  // the counters belong to the state that is saved
      checkpoint();
      rollbacks_ = 0;
    }
    result_.end = end_by_now(interruption);
  }
  finish_log_entry();
  if (result_.end != TrainEnd::kInterrupted && !validation_->empty() && validated_step_ != position_.step)
    validate();
  if (saved_step_ != position_.step || validated_step_ == position_.step) checkpoint();
}

TrainResult Run::run() {
  const Interruption interruption;
  report_.start(position_);
  last_tick_ = validated_at_ = Clock::now();
  try {
    train_to_the_end(interruption);
    if (group_) group_->leave();
  } catch (const PeerError& error) {
    // A step that failed has changed nothing, and the CPU's weights are at hand; those of a GPU may wait for
    // a sum that never comes.
    if (first() && device_.is_cpu()) save();
    if (!first()) throw;
    throw PeerError(fmt::format("{}. {} holds the state after step {}: go on with --resume", error.what(),
                                state_path().string(), saved_step_));
  }
  result_.steps = position_.step;
  result_.graphs = position_.graphs;
  result_.seconds = position_.seconds;
  return result_;
}

}  // namespace

TrainResult train(const TrainConfig& config, const TrainOptions& options) {
  const at::Device device = training_device(options.device, options.launch.local_rank);
  if (device.is_cpu()) check_training_memory(config, physical_memory());
  if (!options.launch.several()) return Run(config, options, device, nullptr).run();
  // Unless told otherwise by its variable, OpenMP would start a thread per core in every process.
  if (device.is_cpu() && !std::getenv("OMP_NUM_THREADS")) at::set_num_threads(simulation_threads(options));
  ProcessGroup group(options.launch, device, options.group);
  try {
    return Run(config, options, device, &group).run();
  } catch (const std::exception& error) {
    group.report_failure(error.what());
    throw;
  }
}

double parse_duration(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit.empty() || unit == "s" ? 1.0 : unit == "m" ? 60.0 : unit == "h" ? 3600.0 : 0.0;
  if (error != std::errc{} || factor == 0.0 || !(value > 0.0) || !std::isfinite(value))
    throw UsageError(
        fmt::format("duration \"{}\": expected a positive number with s, m or h, such as 9m", text));
  return value * factor;
}

}  // namespace causcale
