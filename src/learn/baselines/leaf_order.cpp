#include "learn/baselines/leaf_order.h"

#include <ATen/ATen.h>

namespace causcale {
namespace {

constexpr double kLeastCurvature = 1e-4;  // divisors closer to zero are moved away from it

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
