#include "learn/run/learner.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "base/random.h"

namespace causcale {

namespace {

// Newton-Schulz needs few digits, and bf16 products are fast on GPUs only.
at::ScalarType iteration_type(at::Device device, at::ScalarType master_type) {
  return device.is_cuda() ? at::kBFloat16 : master_type;
}

}  // namespace

at::ScalarType working_type(Precision precision, at::Device device) {
  if (precision == Precision::kBfloat16 || (precision == Precision::kAuto && device.is_cuda()))
    return at::kBFloat16;
  return at::kFloat;
}

Learner::Learner(const TrainConfig& config, ModelParams initial, at::Device device,
                 at::ScalarType master_type, ExecutionOptions execution, ProcessGroup* group)
    : model_(config.model),
      execution_(execution),
      device_(device),
      weights_(std::move(initial), config.optimiser, device, master_type,
               master_type == at::kFloat ? working_type(config.precision, device) : master_type),
      group_(group),
      muon_(weights_.layout(), config.muon, weights_.masters(), iteration_type(device, master_type)),
      muon_rate_(config.muon_learning_rate),
      adamw_(weights_.layout().muon_end, weights_.layout().decay_end, weights_.layout().total, config.adamw,
             weights_.masters()),
      adamw_rate_(config.adamw_learning_rate),
      clip_norm_(config.clip_norm),
      guard_(config.guard, device, weights_.layout().slices,
             static_cast<std::int64_t>(config.model.outputs.size())),
      output_loss_weight_(config.output_loss_weight),
      average_decay_(config.average_decay) {
  execution_.dropout = config.dropout;
  dropout_seed_ = config.seed;
  if (group) exchange_ = std::make_unique<GradientExchange>(*group, weights_.leaves(), master_type);
  if (average_decay_ > 0.0) average_ = weights_.masters().clone();
  if (model_.architecture == Architecture::kAvici && config.acyclicity.wanted())
    acyclicity_.emplace(config.acyclicity, device);
}

void Learner::seed_dropout(std::uint64_t seed, int rank) {
  dropout_seed_ = seed;
  rank_ = static_cast<std::uint32_t>(rank);
}

Learner::Slope Learner::slope(const Batch& batch) {
  const ModelParams& params = weights_.working();
  const at::Tensor logits = edge_logits(params, model_, batch.input, execution_);
  at::Tensor loss = pair_loss(model_, logits, batch.adjacency, batch.input);
  at::Tensor outputs;
  if (!model_.outputs.empty()) {
    outputs = output_losses(logits, batch.labels, batch.input);  // [K]
    loss = loss + output_loss_weight_ * outputs.sum();
    outputs = outputs.detach();
  }
  at::Tensor cyclicity;
  if (acyclicity_) {
    cyclicity = acyclicity_->constraint(logits);
    loss = loss + acyclicity_->cost(cyclicity);
  }
  const at::Tensor gradient = weights_.flatten_gradients(
      exchange_ ? exchange_->backward(loss)
                : torch::autograd::grad({loss}, weights_.leaves(), {}, /*retain_graph=*/false,
                                        /*create_graph=*/false, /*allow_unused=*/true));
  return {loss.detach(), gradient, outputs, cyclicity.defined() ? cyclicity.detach() : cyclicity};
}

at::Tensor Learner::step(std::span<const Batch> batches, double factor, std::int64_t step) {
  if (execution_.dropout > 0.0) {
    RandomStream random(dropout_seed_, static_cast<std::uint32_t>(step), Purpose::kDropout, rank_);
    const std::uint64_t high = random.bits(), low = random.bits();
    at::Generator generator = at::globalContext().defaultGenerator(device_);  // a handle, not a copy
    generator.set_current_seed(high << 32 | low);
  }
  auto [loss, gradient, outputs, cyclicity] = slope(batches.front().to(device_));
  for (const Batch& batch : batches.subspan(1)) {
    const Slope further = slope(batch.to(device_));
    loss += further.loss;
    gradient += further.gradient;
    if (outputs.defined()) outputs = outputs + further.outputs;
    if (acyclicity_) cyclicity = cyclicity + further.cyclicity;
  }
  if (batches.size() > 1) {
    loss /= static_cast<double>(batches.size());
    gradient /= static_cast<double>(batches.size());
    if (outputs.defined()) outputs = outputs / static_cast<double>(batches.size());
  }
  if (acyclicity_) {
    cyclicity = cyclicity.to(at::kDouble) / static_cast<double>(batches.size());
    if (group_) {  // before anything changes, as a process may be gone
      const at::Tensor shared = cyclicity.reshape({1});
      group_->sum(shared);
      cyclicity = shared.squeeze(0) / group_->size();
    }
  }

  const at::Tensor accepted = guard_.judge(loss, gradient, outputs);
  adamw_.clip(gradient, clip_norm_);
  muon_.step(weights_.masters(), gradient, factor * muon_rate_, accepted);
  adamw_.step(weights_.masters(), gradient, factor * adamw_rate_, accepted);
  weights_.publish();
  if (acyclicity_) acyclicity_->update(cyclicity, accepted, step);
  if (average_.defined()) {
    const c10::NoGradGuard no_grad;
    // Young averages forget faster, or the first weights would linger.
    const double decay = std::min(average_decay_, (1.0 + static_cast<double>(step)) / (10.0 + step));
    average_.lerp_(weights_.masters(), 1.0 - decay);
  }
  return loss;
}

ModelParams Learner::evaluation_weights() const {
  return evaluation_weights(weights_.leaves().front().scalar_type());
}

ModelParams Learner::evaluation_weights(at::ScalarType type) const {
  const c10::NoGradGuard no_grad;
  const at::Tensor& flat = average_.defined() ? average_ : weights_.masters();
  return weights_.views_of(flat.to(type, /*non_blocking=*/false, /*copy=*/true));
}

ModelParams Learner::latest_weights(at::ScalarType type) const {
  const c10::NoGradGuard no_grad;
  return weights_.views_of(weights_.masters().to(type, /*non_blocking=*/false, /*copy=*/true));
}

std::vector<std::pair<std::string, at::Tensor>> Learner::state() {
  std::vector<std::pair<std::string, at::Tensor>> tensors = {
      {"masters", weights_.masters()},          {"muon.momentum", muon_.momentum()},
      {"adamw.first", adamw_.first_moment()},   {"adamw.second", adamw_.second_moment()},
      {"adamw.steps", adamw_.accepted_steps()}, {"guard", guard_.state()}};
  if (average_.defined()) tensors.emplace_back("average", average_);
  if (acyclicity_) tensors.emplace_back("acyclicity", acyclicity_->state());
  return tensors;
}

}  // namespace causcale
