#include "learn/processes/distributed_network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>

#include "base/parallel.h"
#include "learn/data/pair_matrices.h"
#include "learn/networks/checkpoint.h"
#include "learn/networks/sharded_pass.h"
#include "learn/networks/training_device.h"

namespace causcale {
namespace {

constexpr std::int64_t kUsualScoreBytes = std::int64_t{256} << 20;
constexpr const char* kEnd = "end";

class GroupCollectives : public Collectives {
 public:
  explicit GroupCollectives(ProcessGroup& group) : group_(group) {}
  int rank() const override { return group_.rank(); }
  int size() const override { return group_.size(); }
  void sum(const at::Tensor& tensor) override { group_.sum(tensor); }
  void broadcast(const at::Tensor& tensor) override { group_.broadcast(tensor); }
  void exchange(const at::Tensor& from, const at::Tensor& to) override { group_.exchange(from, to); }

 private:
  ProcessGroup& group_;
};

// A process that nobody else was started with.
class NoCollectives : public Collectives {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(const at::Tensor&) override {}
  void broadcast(const at::Tensor&) override {}
  void exchange(const at::Tensor& from, const at::Tensor& to) override { to.copy_(from); }
};

// What the first process tells the others of a pass.
struct PassNotice {
  std::int64_t rows = 0, columns = 0;
  bool symmetrised = true;
  std::int64_t score_bytes = 0;

  std::string text() const {
    return fmt::format("{} {} {} {}", rows, columns, symmetrised ? 1 : 0, score_bytes);
  }
  static PassNotice read(const std::string& text) {
    PassNotice notice;
    std::istringstream(text) >> notice.rows >> notice.columns >> notice.symmetrised >> notice.score_bytes;
    return notice;
  }
};

class DistributedNetwork : public core::Network {
 public:
  DistributedNetwork(const std::filesystem::path& file, at::Device device, at::ScalarType type, int threads,
                     const LaunchEnvironment& launch, const ProcessGroupOptions& options)
      : device_(device), type_(type), threads_(threads), size_(launch.size) {
    if (launch.several()) {
      group_.emplace(launch, device, options);
      collectives_ = std::make_unique<GroupCollectives>(*group_);
    } else {
      collectives_ = std::make_unique<NoCollectives>();
    }
    told([&] {
      model_ = load_model(file);
      require_shardable(model_.config);
      model_.params.visit([&](const std::string&, at::Tensor& tensor) { tensor = tensor.to(device, type); });
    });
  }

  // The first process tells the others that they may go.
  ~DistributedNetwork() override {
    if (!group_ || !group_->first() || failed_) return;
    try {
      group_->from_first(kEnd);
      group_->leave();
    } catch (const std::exception&) {
      // Who is gone already need not be told.
    }
  }

  // Of a process that is not the first: passes, until the first one ends.
  void work() {
    told([&] {
      while (true) {
        const std::string text = group_->from_first("", /*patient=*/true);
        if (text == kEnd) break;
        const PassNotice notice = PassNotice::read(text);
        pass(notice, {}, {}, {}, {});
      }
      group_->leave();
    });
  }

  std::vector<core::PairProbabilities> pair_probabilities(const core::NetworkInput& input,
                                                          const core::PassOptions& options) const override {
    const std::lock_guard turn(turn_);
    const std::int64_t m = input.rows, n = input.columns;
    const PassNotice notice{m, n, options.symmetrised, score_bytes(m, n, options.max_bytes)};
    std::vector<core::PairProbabilities> results;
    told([&] {
      for (std::int64_t view = 0; view < input.views; ++view)
        for (std::int64_t table = 0; table < input.tables; ++table) {
          if (group_) group_->from_first(notice.text());
          results.push_back(one(input, view, table, notice, options.progress));
        }
    });
    return results;
  }

  Memory memory(std::int64_t rows, std::int64_t columns, int, std::int64_t max_bytes) const override {
    const std::int64_t least = bytes(rows, columns, least_score_bytes(rows, columns));
    return {bytes(rows, columns, score_bytes(rows, columns, max_bytes)), least};
  }
  std::int64_t weight_bytes() const override {
    return count_parameters(model_.params) * static_cast<std::int64_t>(at::elementSize(type_));
  }
  double expected_flops(int) const override {
    return (device_.is_cuda() ? (type_ == at::kFloat ? 4e13 : 2.3e14) : 5e10 * threads_) * size_;
  }
  std::string kernels() const override {
    return fmt::format("{}, {} processes", device_.is_cuda() ? "cuda" : "libtorch", size_);
  }

 private:
  // What goes wrong here is told to the others, who would wait for this process otherwise.
  template <class Work>
  void told(const Work& work) const {
    try {
      work();
    } catch (const std::exception& error) {
      failed_ = true;
      if (group_) group_->report_failure(error.what());
      throw;
    }
  }

  core::PairProbabilities one(const core::NetworkInput& input, std::int64_t view, std::int64_t table,
                              const PassNotice& notice, const std::function<void(double)>& progress) const {
    const std::int64_t m = input.rows, n = input.columns, V = input.views, B = input.tables;
    const std::int64_t D = model_.config.channels.data_width(), P = model_.config.channels.pair_width();
    at::Tensor data = part(input.data, table, {m, n, D}), prior = part(input.prior, table, {n, n});
    const at::Tensor pairs = P > 0 ? part(input.pairs, table, {n, n, P}) : at::Tensor();
    if (!input.signs.empty()) {
      const at::Tensor signs = part(input.signs, view * B + table, {n});
      data = data.clone();
      data.select(2, 0).mul_(signs);  // flags and channels have no mirror image
      prior = prior * signs.unsqueeze(0) * signs.unsqueeze(1);
    }
    const auto share = [&](double done) {
      if (progress) progress((static_cast<double>(view * B + table) + done) / static_cast<double>(V * B));
    };
    return as_matrices(pass(notice, data, prior, pairs, share), model_.config.outputs);
  }

  at::Tensor pass(const PassNotice& notice, const at::Tensor& data, const at::Tensor& prior,
                  const at::Tensor& pairs, const std::function<void(double)>& progress) const {
    return pair_probabilities_sharded(model_.params, model_.config,
                                      {notice.rows, notice.columns, data, prior, pairs},
                                      {notice.symmetrised, notice.score_bytes, progress}, *collectives_);
  }

  static at::Tensor part(const std::vector<float>& values, std::int64_t number,
                         const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return at::from_blob(const_cast<float*>(values.data()) + number * count, shape, at::kFloat);
  }

  std::int64_t bytes(std::int64_t m, std::int64_t n, std::int64_t scores) const {
    return sharded_bytes(model_.config, m, n, size_, static_cast<std::int64_t>(at::elementSize(type_)),
                         scores);
  }
  static std::int64_t least_score_bytes(std::int64_t m, std::int64_t n) {
    return 64 * std::max(m, n) * static_cast<std::int64_t>(sizeof(float));
  }
  // Both scores and the tensors of some heads keep to it, so that a limit holds three times as much.
  std::int64_t score_bytes(std::int64_t m, std::int64_t n, std::int64_t max_bytes) const {
    if (max_bytes == 0) return kUsualScoreBytes;
    const std::int64_t least = least_score_bytes(m, n);
    return least + std::max<std::int64_t>(0, max_bytes - bytes(m, n, least)) / 3;
  }

  Model model_;
  at::Device device_;
  at::ScalarType type_;
  int threads_, size_;
  mutable std::optional<ProcessGroup> group_;
  std::unique_ptr<Collectives> collectives_;
  mutable std::mutex turn_;
  mutable bool failed_ = false;
};

}  // namespace

std::shared_ptr<const core::Network> distributed_network(const std::filesystem::path& file, Device device,
                                                         Precision precision, int threads,
                                                         const LaunchEnvironment& launch,
                                                         ProcessGroupOptions options) {
  const at::Device place = training_device(device, launch.local_rank);
  const int own_threads = std::max(1, resolve_threads(threads) / launch.local_size);
  if (place.is_cpu() && !std::getenv("OMP_NUM_THREADS")) at::set_num_threads(own_threads);
  options.advice = "No result was written";
  auto network = std::make_shared<DistributedNetwork>(
      file, place, precision == Precision::kBfloat16 && place.is_cuda() ? at::kBFloat16 : at::kFloat,
      own_threads, launch, options);
  if (launch.rank == 0) return network;
  network->work();
  return nullptr;
}

}  // namespace causcale
