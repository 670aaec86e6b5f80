// The mean gradient over all processes. Gradients travel in buckets, in the order in which the backward pass
// makes them, while it still runs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "learn/processes/process_group.h"

namespace causcale {

class GradientExchange {
 public:
  // `leaves` as they appear in the network, first layer first. Sums are taken in `type`. The group must
  // outlive this object.
  GradientExchange(ProcessGroup& group, const std::vector<at::Tensor>& leaves, at::ScalarType type,
                   std::int64_t bucket_bytes = 4 << 20);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  // Backward pass of this process' mean loss. Returns the mean over processes of every leaf's gradient (zero
  // where a leaf took no part) and makes `loss` their mean, too. The gradients are valid until the next call.
  std::vector<at::Tensor> backward(at::Tensor& loss);

 private:
  struct Bucket {
    std::vector<std::size_t> leaves;  // in the order of their places
    at::Tensor values;
    std::size_t missing = 0;  // gradients still to come
    std::unique_ptr<ProcessGroup::Pending> sum;
  };

  void arrived(std::size_t leaf, const at::Tensor& gradient);
  // Starts the sums of all complete buckets at the head of the queue: every process in the same order.
  void start_complete_buckets();
  void start(Bucket& bucket);

  ProcessGroup& group_;
  std::vector<at::Tensor> leaves_;
  std::vector<unsigned> hooks_;
  std::vector<std::size_t> bucket_of_;
  std::vector<Bucket> buckets_;
  // Of the backward pass in progress.
  bool running_ = false;
  std::vector<at::Tensor> gradients_;
  at::Tensor loss_;
  std::size_t started_ = 0;
};

}  // namespace causcale
