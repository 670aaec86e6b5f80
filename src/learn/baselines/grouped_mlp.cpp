#include "learn/baselines/grouped_mlp.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "learn/baselines/tensors.h"

namespace causcale {
namespace {

// Below this share of inputs, multiplying what is there beats multiplying by zeros.
constexpr double kGatherShare = 0.25;
constexpr double kLeastVariance = 1e-4;  // a column that others explain exactly must not end at infinity

}  // namespace

GroupedMlp::GroupedMlp(const Matrix<std::uint8_t>& allowed, int hidden, RandomStream& random,
                       at::Device device)
    : nodes_(static_cast<std::int64_t>(allowed.rows())), hidden_(hidden) {
  const auto n = static_cast<std::size_t>(nodes_);
  std::vector<std::vector<std::int64_t>> inputs(n);
  std::size_t most = 1;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i)
      if (allowed(i, j)) inputs[j].push_back(static_cast<std::int64_t>(i));
    most = std::max(most, inputs[j].size());
  }
  gathered_ = static_cast<double>(most) < kGatherShare * static_cast<double>(n);
  const std::int64_t places = gathered_ ? static_cast<std::int64_t>(most) : nodes_;
  mask_ = at::zeros({nodes_, places, 1}, at::kFloat);
  float* mask = mask_.data_ptr<float>();
  if (gathered_) {
    sources_ = at::empty({nodes_ * places}, at::kLong);
    std::int64_t* sources = sources_.data_ptr<std::int64_t>();
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < most; ++k) {
        const bool used = k < inputs[j].size();
        // An empty place points at the variable itself; its weight is masked.
        sources[j * most + k] = used ? inputs[j][k] : static_cast<std::int64_t>(j);
        mask[j * most + k] = used ? 1.0f : 0.0f;
      }
    sources_ = sources_.to(device);
  } else {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) mask[i * n + j] = allowed(i, j) ? 1.0f : 0.0f;
  }
  mask_ = mask_.to(device);

  // So small that the spectral radius of the norms starts below 1.
  const double first = 1.0 / (static_cast<double>(nodes_) * std::sqrt(static_cast<double>(hidden)));
  const double second = 1.0 / std::sqrt(static_cast<double>(hidden));
  leaves_ = {uniform_tensor(random, {nodes_, places, hidden_}, -first, first),
             uniform_tensor(random, {nodes_, 1, hidden_}, -first, first),
             uniform_tensor(random, {nodes_, hidden_, 2}, -second, second),
             uniform_tensor(random, {nodes_, 1, 2}, -second, second)};
  for (at::Tensor& leaf : leaves_) leaf = leaf.to(device).requires_grad_(true);
}

GroupedMlp::Output GroupedMlp::forward(const at::Tensor& x) const {
  const at::Tensor weights = leaves_[0] * mask_;
  at::Tensor before;  // [n, B, h]
  if (gathered_) {
    const at::Tensor inputs = x.t().index_select(0, sources_).view({nodes_, -1, x.size(0)});  // [n, K, B]
    before = at::bmm(inputs.transpose(1, 2), weights);
  } else {
    before = at::mm(x, weights.view({nodes_, -1})).view({x.size(0), nodes_, hidden_}).transpose(0, 1);
  }
  const at::Tensor units = at::sigmoid(before + leaves_[1]);
  // Weighted sums rather than a batch of n tiny products, each of which would cost a call of BLAS.
  const auto output = [&](int which) {
    return ((units * leaves_[2].select(2, which).unsqueeze(1)).sum(2) + leaves_[3].select(2, which)).t();
  };
  return {output(0), at::softplus(output(1)) + kLeastVariance};
}

at::Tensor GroupedMlp::pair_norms() const {
  return at::norm(leaves_[0] * mask_, 2, {2});
}

at::Tensor GroupedMlp::dense(const at::Tensor& pairs) const {
  if (!gathered_) return pairs;
  // Every used place has an address of its own, so the outcome does not depend on the order of writing; empty
  // places write the zero that the diagonal has anyway.
  return at::zeros({nodes_, nodes_}, pairs.options()).scatter(1, sources_.view({nodes_, -1}), pairs).t();
}

at::Tensor GroupedMlp::per_pair(const at::Tensor& dense) const {
  return gathered_ ? dense.t().gather(1, sources_.view({nodes_, -1})) : dense;
}

std::vector<at::Tensor> GroupedMlp::snapshot() const {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& leaf : leaves_) copies.push_back(leaf.detach().clone());
  return copies;
}

void GroupedMlp::restore(const std::vector<at::Tensor>& snapshot) {
  const c10::NoGradGuard no_grad;
  for (std::size_t k = 0; k < leaves_.size(); ++k) leaves_[k].copy_(snapshot[k]);
}

}  // namespace causcale
