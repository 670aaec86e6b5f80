#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "methods/neural/node_networks.h"
#include "methods/neural/sdcd_model.h"

namespace causcale {
namespace {

// Multiplications of a step below which a second thread is not worth its start.
constexpr double kWorthThreads = 2e6;

class CpuModel : public SdcdModel {
 public:
  CpuModel(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed, int hidden, int batch_size, int threads,
           RandomStream random)
      : rows_(rows),
        batch_size_(static_cast<std::size_t>(batch_size)),
        networks_(allowed, hidden, random),
        validation_(rows.values, rows.weights, rows.validation, false),
        threads_(static_cast<double>(networks_.pairs() + 10 * allowed.rows()) * hidden * batch_size >
                         kWorthThreads
                     ? threads
                     : 1) {}

  void epoch(std::span<const int> order, const SdcdPrices& prices) override {
    const NodeStep step{prices.learning_rate, prices.l1, prices.l2, prices.cycles};
    std::vector<PackedRows> batches;
    for (std::size_t begin = 0; begin < order.size(); begin += batch_size_)
      batches.emplace_back(rows_.values, rows_.weights,
                           order.subspan(begin, std::min(batch_size_, order.size() - begin)),
                           networks_.wants_across());
    const std::size_t nodes = rows_.values.cols();
    if (prices.cycles == 0) {
      // Nothing couples the variables: each goes through the whole epoch while its weights are in the cache.
      parallel_for(nodes, threads_, [&](std::size_t node) {
        for (const PackedRows& batch : batches) networks_.step(static_cast<int>(node), batch, step);
      });
      return;
    }
    for (const PackedRows& batch : batches) {
      networks_.update_radius_gradients();
      parallel_for(nodes, threads_,
                   [&](std::size_t node) { networks_.step(static_cast<int>(node), batch, step); });
    }
  }

  double validation_loss() override {
    std::vector<double> losses(rows_.values.cols());
    parallel_for(losses.size(), threads_, [&](std::size_t node) {
      losses[node] = networks_.loss(static_cast<int>(node), validation_);
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

  Matrix<double> norms() const override { return networks_.norms(); }
  void remember() override { remembered_ = networks_.snapshot(); }
  void bring_back() override { networks_.restore(remembered_); }

 private:
  const SdcdRows& rows_;
  std::size_t batch_size_;
  NodeNetworks networks_;
  PackedRows validation_;
  int threads_;
  NodeNetworks::Snapshot remembered_;
};

}  // namespace

std::unique_ptr<SdcdModel> sdcd_cpu_model(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed,
                                          int hidden, int batch_size, int threads, RandomStream random) {
  return std::make_unique<CpuModel>(rows, allowed, hidden, batch_size, threads, random);
}

}  // namespace causcale
