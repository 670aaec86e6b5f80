#include "learn/networks/prepared_model.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <exception>

namespace causcale {
namespace {

// Recordings keep their memory, and large passes gain nothing: there the kernels take longer than handing
// them out.
constexpr std::size_t kMostRecordings = 4;
constexpr std::int64_t kMostRecordedCells = 500'000;

bool worth_recording(const ModelInput& input, const ExecutionOptions& execution) {
  if (!input.rows.empty() || execution.dropout > 0.0 || !RecordedPass::possible(input.data.device()))
    return false;
  return (input.data.numel() / input.data.size(3) + input.prior.numel()) <= kMostRecordedCells;
}

// A recording computes what the pass itself does, to the bit or nearly: other kernels may have been chosen.
bool agree(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>() <= 1e-3;
}

}  // namespace

PreparedModel::PreparedModel(const ModelParams& params, const ModelConfig& config)
    : params_(params), config_(config) {
  params_.visit([&](const std::string&, at::Tensor& tensor) { tensors_.push_back(tensor); });
  changes_ = count_changes();
}

std::uint64_t PreparedModel::count_changes() const {
  std::uint64_t changes = 0;
  for (const at::Tensor& tensor : tensors_)
    if (!tensor.is_inference()) changes += tensor.unsafeGetTensorImpl()->version_counter().current_version();
  return changes;
}

std::size_t PreparedModel::recordings() const {
  const std::lock_guard turn(turn_);
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.recording != nullptr; }));
}

at::Tensor PreparedModel::pair_probabilities(const ModelInput& input, bool symmetrised,
                                             const ExecutionOptions& execution) {
  const Run run = [&](const ModelInput& given, SideStream* side) {
    ExecutionOptions chosen = execution;
    if (execution.pack_once) chosen.packed = &packed_;
    chosen.side = side;
    return causcale::pair_probabilities(params_, config_, given, symmetrised, chosen);
  };
  if (!execution.replay || config_.architecture != Architecture::kCauScale ||
      !worth_recording(input, execution))
    return run(input, nullptr);
  const std::lock_guard turn(turn_);
  return replayed(
      input,
      {input.data.sizes().vec(), static_cast<int>(input.data.scalar_type()), symmetrised, execution.plain,
       execution.pack_once, execution.fused_outer_layers, execution.overlap, execution.max_score_bytes},
      execution.overlap, run);
}

at::Tensor PreparedModel::replayed(const ModelInput& input, const Shape& shape, bool overlap,
                                   const Run& run) {
  const std::uint64_t changes = count_changes();
  if (changes != changes_) entries_.clear();
  changes_ = changes;

  auto entry = std::ranges::find(entries_, shape, &Entry::shape);
  if (entry == entries_.end()) {
    entries_.push_front({shape, false, nullptr, nullptr});
    if (entries_.size() > kMostRecordings) entries_.pop_back();
    return run(input, nullptr);
  }
  entries_.splice(entries_.begin(), entries_, entry);
  if (entry->recording) return entry->recording->replay(input);
  if (entry->failed) return run(input, nullptr);
  entry->failed = true;  // until the recording has shown what it can do
  at::Tensor result = run(input, nullptr);
  try {
    if (overlap) entry->side = std::make_unique<SideStream>(input.data.device());
    auto recording = std::make_unique<RecordedPass>(
        input, [&](const ModelInput& given) { return run(given, entry->side.get()); });
    if (agree(recording->replay(input), result)) {
      entry->recording = std::move(recording);
      entry->failed = false;
    }
  } catch (const std::exception&) {
    // CUDA cannot record this pass; it goes on without.
  }
  return result;
}

}  // namespace causcale
