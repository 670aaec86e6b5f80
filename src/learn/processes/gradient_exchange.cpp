#include "learn/processes/gradient_exchange.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

namespace causcale {

GradientExchange::GradientExchange(ProcessGroup& group, const std::vector<at::Tensor>& leaves,
                                   at::ScalarType type, std::int64_t bucket_bytes)
    : group_(group), leaves_(leaves), bucket_of_(leaves.size()), gradients_(leaves.size()) {
  const at::TensorOptions options = leaves.front().options().dtype(type).requires_grad(false);
  const std::int64_t limit = bucket_bytes / static_cast<std::int64_t>(c10::elementSize(type));
  std::int64_t count = 1;  // the loss travels with the first bucket
  const auto close = [&] {
    buckets_.back().values = at::zeros({count}, options);
    count = 0;
  };
  buckets_.emplace_back();
  for (std::size_t i = leaves.size(); i-- > 0;) {
    if (!buckets_.back().leaves.empty() && count + leaves[i].numel() > limit) {
      close();
      buckets_.emplace_back();
    }
    bucket_of_[i] = buckets_.size() - 1;
    buckets_.back().leaves.push_back(i);
    count += leaves[i].numel();
  }
  close();
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    hooks_.push_back(
        leaves_[i].register_hook([this, i](const at::Tensor& gradient) { arrived(i, gradient); }));
}

GradientExchange::~GradientExchange() {
  for (std::size_t i = 0; i < leaves_.size(); ++i) leaves_[i].remove_hook(hooks_[i]);
}

void GradientExchange::arrived(std::size_t leaf, const at::Tensor& gradient) {
  if (!running_ || gradients_[leaf].defined()) return;
  gradients_[leaf] = gradient.detach();
  --buckets_[bucket_of_[leaf]].missing;
  start_complete_buckets();
}

void GradientExchange::start_complete_buckets() {
  while (started_ < buckets_.size() && buckets_[started_].missing == 0) start(buckets_[started_++]);
}

void GradientExchange::start(Bucket& bucket) {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> pieces;
  for (const std::size_t leaf : bucket.leaves)
    pieces.push_back(gradients_[leaf].defined()
                         ? gradients_[leaf].reshape({-1})
                         : at::zeros({leaves_[leaf].numel()}, leaves_[leaf].options()));
  const at::Tensor gradients = at::cat(pieces);
  bucket.values.narrow(0, 0, gradients.numel()).copy_(gradients);
  if (bucket.values.numel() > gradients.numel()) bucket.values.narrow(0, gradients.numel(), 1).copy_(loss_);
  bucket.values.mul_(1.0 / group_.size());
  bucket.sum = group_.start_sum(bucket.values);
}

std::vector<at::Tensor> GradientExchange::backward(at::Tensor& loss) {
  for (Bucket& bucket : buckets_) {
    bucket.missing = bucket.leaves.size();
    bucket.sum.reset();
  }
  loss_ = loss.detach().reshape({1});
  started_ = 0;
  running_ = true;
  torch::autograd::backward({loss});
  running_ = false;
  // Leaves that took no part hold up their buckets until here.
  while (started_ < buckets_.size()) start(buckets_[started_++]);

  std::vector<at::Tensor> result(leaves_.size());
  for (Bucket& bucket : buckets_) {
    bucket.sum->wait();
    std::int64_t offset = 0;
    for (const std::size_t leaf : bucket.leaves) {
      result[leaf] = bucket.values.narrow(0, offset, leaves_[leaf].numel()).view(leaves_[leaf].sizes());
      offset += leaves_[leaf].numel();
    }
  }
  std::fill(gradients_.begin(), gradients_.end(), at::Tensor());
  const at::Tensor& first = buckets_.front().values;
  loss = first.select(0, first.numel() - 1).clone();
  for (at::Tensor& leaf : leaves_) leaf.mutable_grad().reset();
  return result;
}

}  // namespace causcale
