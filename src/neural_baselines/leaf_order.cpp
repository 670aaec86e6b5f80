#include "neural_baselines/leaf_order.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace causcale {
namespace {

constexpr double kLeastCurvature = 1e-4;  // divisors closer to zero are moved away from it
constexpr float kFarthest = 4.0f;         // from zero, in standard deviations, that a leaf is moved

// One pivot of a Gauss-Jordan sweep over `system` [n][n + 1], row j: ds_l / dx_j for every l, then s_j.
void eliminate(float* system, int n, int pivot) {
  const int width = n + 1;
  float* own = system + static_cast<std::ptrdiff_t>(pivot) * width;
  const float curvature = own[pivot], least = static_cast<float>(kLeastCurvature);
  const float factor = 1.0f / (std::abs(curvature) >= least ? curvature : curvature >= 0 ? least : -least);
  for (int k = 0; k < width; ++k) own[k] *= factor;
  for (int row = 0; row < n; ++row) {
    if (row == pivot) continue;
    float* other = system + static_cast<std::ptrdiff_t>(row) * width;
    const float share = other[pivot];
    for (int k = 0; k < width; ++k) other[k] -= share * own[k];
  }
}

}  // namespace

std::vector<double> relative_variances(const at::Tensor& curvatures) {
  const at::Tensor values = curvatures.detach().to(at::kCPU, at::kDouble);
  const at::Tensor mean = values.mean(0);
  const at::Tensor variance =
      ((values - mean).pow(2).mean(0) / (mean * mean).clamp_min(kLeastCurvature * kLeastCurvature))
          .contiguous();
  return {variance.data_ptr<double>(), variance.data_ptr<double>() + variance.numel()};
}

RemainingScore::RemainingScore(ScoreNetwork::Derivatives derivatives) : d_(std::move(derivatives)) {
  diagonal_ = d_.first.diagonal(0, 1, 2).clone();
}

void RemainingScore::remove(int leaf) {
  const at::Tensor curvature = d_.first.select(1, leaf).select(1, leaf);
  const at::Tensor sign = (curvature >= 0).to(curvature.scalar_type()) * 2 - 1;
  const at::Tensor own = (sign * curvature.abs().clamp_min(kLeastCurvature)).unsqueeze(1);  // [b, 1]
  const at::Tensor slope = d_.first.select(1, leaf), value = d_.value.select(1, leaf).unsqueeze(1);
  // s_l J_lj / J_ll, derived by x_j
  diagonal_ = diagonal_ - (slope * slope + value * d_.pure.select(1, leaf)) / own +
              value * slope * d_.mixed.select(1, leaf) / (own * own);
}

ProfiledScore::ProfiledScore(const ScoreNetwork& network, at::Tensor rows, double level, int threads)
    : network_(network), rows_(std::move(rows)), level_(level), threads_(threads) {
  look();
}

void ProfiledScore::remove(int leaf) {
  taken_.push_back(leaf);
  const int n = static_cast<int>(rows_.size(1));
  const at::Tensor moved = rows_.to(at::kCPU, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  float* values = moved.data_ptr<float>();
  float* systems = systems_.data_ptr<float>();
  parallel_for(static_cast<std::size_t>(rows_.size(0)), threads_, [&](std::size_t row) {
    float* system = systems + row * n * (n + 1);
    eliminate(system, n, leaf);
    for (const int v : taken_) {
      float& value = values[row * n + v];
      value = std::clamp(value - system[v * (n + 1) + n], -kFarthest, kFarthest);
    }
  });
  rows_ = moved.to(rows_.device());
  look();
}

void ProfiledScore::look() {
  const ScoreNetwork::Slopes slopes = network_.slopes(rows_, level_);
  const at::Tensor symmetric = 0.5 * (slopes.first + slopes.first.transpose(1, 2));
  systems_ = at::cat({symmetric, slopes.value.unsqueeze(2)}, 2).to(at::kCPU, at::kFloat).contiguous();
  const int n = static_cast<int>(rows_.size(1));
  float* systems = systems_.data_ptr<float>();
  parallel_for(static_cast<std::size_t>(rows_.size(0)), threads_, [&](std::size_t row) {
    for (const int leaf : taken_) eliminate(systems + row * n * (n + 1), n, leaf);
  });
  diagonal_ = systems_.narrow(2, 0, n).diagonal(0, 1, 2).clone();
}

bool may_be_leaf(int node, const std::vector<bool>& taken, const Knowledge& knowledge) {
  for (const Edge& edge : knowledge.required)
    if (edge.source == node && !taken[edge.target]) return false;
  if (knowledge.tier_of.empty() || knowledge.tier_of[node] < 0) return true;
  for (std::size_t other = 0; other < taken.size(); ++other)
    if (!taken[other] && knowledge.tier_of[other] > knowledge.tier_of[node]) return false;
  return true;
}

int vote_for_leaf(const std::vector<at::Tensor>& curvatures, const std::vector<bool>& taken,
                  const Knowledge& knowledge) {
  const int n = static_cast<int>(taken.size());
  std::vector<int> votes(n, 0);
  int leaf = -1;
  for (const at::Tensor& table : curvatures) {
    const std::vector<double> variances = relative_variances(table);
    int choice = -1;
    for (int v = 0; v < n; ++v)
      if (!taken[v] && may_be_leaf(v, taken, knowledge) && (choice < 0 || variances[v] < variances[choice]))
        choice = v;
    if (choice < 0) continue;
    ++votes[choice];
    if (leaf < 0 || votes[choice] > votes[leaf]) leaf = choice;
  }
  if (leaf < 0)  // knowledge that contradicts itself
    for (leaf = 0; taken[leaf];) ++leaf;
  return leaf;
}

}  // namespace causcale
