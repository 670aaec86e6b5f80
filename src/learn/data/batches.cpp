#include "learn/data/batches.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/random.h"
#include "learn/data/gpu_batches.h"
#include "learn/networks/sea.h"

namespace causcale {

namespace {

// Beyond the purposes that simulators use.

}  // namespace

Batch Batch::to(at::Device device) const {
  const auto move = [&](const at::Tensor& tensor) { return tensor.to(device, /*non_blocking=*/true); };
  Batch moved = *this;
  moved.input.data = move(input.data);
  moved.input.prior = move(input.prior);
  if (input.pairs.defined()) moved.input.pairs = move(input.pairs);
  if (input.subsets.defined()) moved.input.subsets = move(input.subsets);
  if (input.estimates.defined()) moved.input.estimates = move(input.estimates);
  moved.adjacency = move(adjacency);
  if (labels.defined()) moved.labels = move(labels);
  return moved;
}

namespace {

// Memory goes with the cells of the data, with the cells of the graph's n x n map, which few rows leave
// behind, and with the scores of all pairs of rows, which long tables of few variables are full of.
std::int64_t graphs_in_batch(const Stage& stage, std::int64_t nodes, std::int64_t rows) {
  constexpr std::int64_t kRowPairs = 128'000'000;
  const std::int64_t fitting =
      std::min(stage.tokens / (nodes * std::max(rows, nodes)), kRowPairs / (rows * rows));
  return std::clamp<std::int64_t>(fitting, 1, stage.max_batch);
}

std::vector<std::int64_t> ends(const Weighted<SizeRange>& sizes) {
  std::vector<std::int64_t> result;
  for (const SizeRange& range : sizes.values()) result.insert(result.end(), {range.low, range.high});
  return result;
}

}  // namespace

BatchPlan plan_batch(const TrainConfig& config, const ExampleSource& examples, std::uint64_t seed,
                     std::size_t stage, std::int64_t step, std::uint64_t first_dataset) {
  const Stage& options = config.stages[stage];
  RandomStream random(seed, static_cast<std::uint32_t>(step), Purpose::kBatchPlan);
  BatchPlan plan{stage, step, first_dataset};
  std::int64_t available = options.max_batch;
  if (const DatasetFolder* folder = examples.folder()) {
    const Table& table = folder->draw(random).dataset.table;
    plan.nodes = static_cast<int>(table.cols());
    plan.rows = static_cast<int>(table.rows());
    available = static_cast<std::int64_t>(folder->count(plan.rows, plan.nodes));
  } else {
    plan.nodes = options.data.nodes.draw(random).draw(random);
    plan.rows = options.data.rows.draw(random).draw(random);
  }
  plan.graphs = static_cast<int>(std::min(available, graphs_in_batch(options, plan.nodes, plan.rows)));
  return plan;
}

std::int64_t largest_batch(const Stage& stage) {
  if (!stage.folder.empty()) return 0;
  std::int64_t largest = 0;
  for (const std::int64_t nodes : ends(stage.data.nodes))
    for (const std::int64_t rows : ends(stage.data.rows))
      largest = std::max(largest, graphs_in_batch(stage, nodes, rows) * nodes * rows);
  return largest;
}

namespace {

Batch empty_batch(const ExampleSource& examples, const BatchPlan& plan, bool pinned) {
  const std::int64_t B = plan.graphs, m = plan.rows, n = plan.nodes;
  const auto options = at::TensorOptions().pinned_memory(pinned);
  Batch batch;
  const InputChannels& channels = examples.channels();
  const std::int64_t width = channels.data_width(), P = channels.pair_width();
  batch.input.data = at::empty({B, m, n, width}, options.dtype(at::kFloat));
  batch.input.prior = at::empty({B, n, n}, options.dtype(at::kFloat));
  if (P > 0) batch.input.pairs = at::empty({B, n, n, P}, options.dtype(at::kFloat));
  batch.adjacency = at::empty({B, n, n}, options.dtype(at::kByte));
  const auto K = static_cast<std::int64_t>(examples.outputs().size());
  if (K > 0) batch.labels = at::empty({B, K, n, n}, options.dtype(at::kChar));
  batch.next_dataset = plan.first_dataset + static_cast<std::uint64_t>(B * plan.share.size);
  return batch;
}

std::uint32_t dataset_number(const BatchPlan& plan, std::int64_t b) {
  const auto place = static_cast<std::uint64_t>(b * plan.share.size + plan.share.rank);
  return static_cast<std::uint32_t>(plan.first_dataset + place);
}

// The b-th data set into its place.
void fill_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed, std::int64_t b,
                Batch& batch) {
  const at::Tensor& pairs = batch.input.pairs;
  const auto place = [b](const at::Tensor& tensor) { return b * tensor.stride(0); };
  examples.make(
      {plan.rows, plan.nodes, batch.input.data.data_ptr<float>() + place(batch.input.data),
       batch.input.prior.data_ptr<float>() + place(batch.input.prior),
       batch.adjacency.data_ptr<std::uint8_t>() + place(batch.adjacency),
       pairs.defined() ? pairs.data_ptr<float>() + place(pairs) : nullptr,
       batch.labels.defined() ? batch.labels.data_ptr<std::int8_t>() + place(batch.labels) : nullptr},
      seed, dataset_number(plan, b));
}

// What is added when all data sets are there.
void finish_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed, Batch& batch) {
  const auto& subsets = examples.subsets();
  if (!subsets) return;
  std::vector<std::uint32_t> numbers;
  for (std::int64_t b = 0; b < plan.graphs; ++b) numbers.push_back(dataset_number(plan, b));
  // Batches are made side by side: one thread each.
  add_estimates(batch.input, *subsets, subsets->training_count, seed, numbers, 1);
}

}  // namespace

Batch make_batch(const ExampleSource& examples, const BatchPlan& plan, std::uint64_t seed, bool pinned) {
  Batch batch = empty_batch(examples, plan, pinned);
  for (std::int64_t b = 0; b < plan.graphs; ++b) fill_batch(examples, plan, seed, b, batch);
  finish_batch(examples, plan, seed, batch);
  return batch;
}

BatchQueue::BatchQueue(const TrainConfig& config, std::uint64_t seed, int threads, bool pinned,
                       DataShare share, at::Device device)
    : config_(config), seed_(seed), pinned_(pinned), share_(share) {
  if (config.simulate_on == SimulateOn::kGpu ||
      (config.simulate_on == SimulateOn::kAuto && GpuBatchMaker::supports(device)))
    gpu_ = std::make_unique<GpuBatchMaker>(device);
  for (const Stage& stage : config.stages) sources_.emplace_back(stage, threads);
  const int count = resolve_threads(threads);
  depth_ = static_cast<std::size_t>(2 * count + 2);
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

BatchQueue::~BatchQueue() {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void BatchQueue::restart(std::size_t stage, std::int64_t step, std::uint64_t first_dataset) {
  {
    const std::lock_guard guard(lock_);
    slots_.clear();
    following_ = {stage, step, first_dataset};
    running_ = true;
  }
  room_.notify_all();
}

Batch BatchQueue::next() {
  std::unique_lock guard(lock_);
  ready_.wait(guard, [&] { return !slots_.empty() && slots_.front()->done; });
  const std::shared_ptr<Slot> slot = std::move(slots_.front());
  slots_.pop_front();
  guard.unlock();
  room_.notify_all();
  if (slot->error) std::rethrow_exception(slot->error);
  if (gpu_) gpu_->hand_over(slot->batch);
  return std::move(slot->batch);
}

// The earliest data set that nobody makes yet: a slow batch is waited for first, so all help with it.
std::shared_ptr<BatchQueue::Slot> BatchQueue::slot_with_work() const {
  for (const std::shared_ptr<Slot>& slot : slots_)
    if (slot->started < slot->parts) return slot;
  return nullptr;
}

// Plans the next batch and makes its tensors; `guard` is let go of meanwhile.
void BatchQueue::add_slot(std::unique_lock<std::mutex>& guard) {
  const auto slot = std::make_shared<Slot>();
  slot->plan = plan_batch(config_, sources_[following_.stage], seed_, following_.stage, following_.step,
                          following_.first_dataset);
  slot->plan.share = share_;
  following_.step = slot->plan.step + 1;
  following_.first_dataset =
      slot->plan.first_dataset + static_cast<std::uint64_t>(slot->plan.graphs * share_.size);
  slots_.push_back(slot);
  guard.unlock();
  std::exception_ptr error;
  try {
    if (!gpu_) slot->batch = empty_batch(sources_[slot->plan.stage], slot->plan, pinned_);
  } catch (...) {
    error = std::current_exception();
  }
  guard.lock();
  slot->parts = gpu_ || error ? 1 : slot->plan.graphs;
  if (error) {
    slot->started = 1;
    slot->error = error;
    slot->done = true;
    ready_.notify_all();
  }
  room_.notify_all();
}

// One data set of it, on a GPU all at once. `guard` is let go of meanwhile.
void BatchQueue::make_part(Slot& slot, std::unique_lock<std::mutex>& guard) {
  const std::int64_t part = slot.started++;
  guard.unlock();
  std::exception_ptr error;
  const ExampleSource& source = sources_[slot.plan.stage];
  try {
    if (gpu_)
      slot.batch = gpu_->make(source, slot.plan, seed_);
    else
      fill_batch(source, slot.plan, seed_, part, slot.batch);
  } catch (...) {
    error = std::current_exception();
  }
  guard.lock();
  if (error && part < slot.failed) {  // the first of the batch, whichever failed first
    slot.failed = part;
    slot.error = error;
  }
  if (++slot.finished < slot.parts) return;
  if (!gpu_ && !slot.error) {
    guard.unlock();
    try {
      finish_batch(source, slot.plan, seed_, slot.batch);
    } catch (...) {
      error = std::current_exception();
    }
    guard.lock();
    if (error) slot.error = error;
  }
  slot.done = true;
  ready_.notify_all();
}

void BatchQueue::work() {
  std::unique_lock guard(lock_);
  while (true) {
    std::shared_ptr<Slot> slot;
    room_.wait(guard, [&] {
      slot = slot_with_work();
      return stopping_ || slot || (running_ && slots_.size() < depth_);
    });
    if (stopping_) return;
    if (slot)
      make_part(*slot, guard);
    else
      add_slot(guard);
  }
}

}  // namespace causcale
