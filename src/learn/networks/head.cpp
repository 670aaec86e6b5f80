#include "learn/networks/head.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "learn/autograd/pairs/pairs.h"
#include "learn/autograd/torch_compat.h"
#include "learn/networks/projection.h"

namespace causcale {
namespace {

// Without derivatives so many pairs are looked at together; it bounds the head's memory.
constexpr std::int64_t kPairsAtATime = 65536;
constexpr std::int64_t kClasses = 3;

struct Pairs {
  at::Tensor forward;   // position of (i, j) in a flattened n x n grid, i < j, row-major
  at::Tensor backward;  // position of (j, i)
};

Pairs all_pairs(std::int64_t n, at::Device device) {
  const at::Tensor indices = at::triu_indices(n, n, 1, at::TensorOptions(at::kLong).device(device));
  return {indices[0] * n + indices[1], indices[1] * n + indices[0]};
}

std::int64_t nodes_of_pairs(std::int64_t pairs) {
  return static_cast<std::int64_t>(std::llround((1.0 + std::sqrt(1.0 + 8.0 * double(pairs))) / 2.0));
}

// Softmax and losses want more digits than bf16 has.
at::Tensor precise(const at::Tensor& logits) {
  return logits.scalar_type() == at::kDouble ? logits : logits.to(at::kFloat);
}

// [n, n] or [B, n, n], true where an ordered pair i != j exists.
at::Tensor real_pairs(std::int64_t n, const std::vector<std::int64_t>& cols, at::Device device) {
  at::Tensor real = at::eye(n, at::TensorOptions(at::kBool).device(device)).logical_not();
  if (cols.empty()) return real;
  const at::Tensor counts = at::tensor(cols, at::kLong).to(device);
  const at::Tensor exists = at::arange(n, counts.options()).unsqueeze(0) < counts.unsqueeze(1);  // [B, n]
  return real.logical_and(exists.unsqueeze(2)).logical_and(exists.unsqueeze(1));
}

// Counted on the host, so that no device has to be waited for.
double count_ordered_pairs(std::int64_t B, std::int64_t n, const std::vector<std::int64_t>& cols) {
  if (cols.empty()) return double(B * n * (n - 1));
  double count = 0.0;
  for (const std::int64_t nodes : cols) count += double(nodes * (nodes - 1));
  return count;
}

// [B, n(n-1)/2, 3 + K] in the classes of the reading, a chunk of pairs at a time.
at::Tensor project_in_chunks(const ProjectionParams& head, const at::Tensor& graph, bool forward) {
  const Pairs pairs = all_pairs(graph.size(1), graph.device());
  const at::Tensor cells = graph.flatten(1, 2);  // [B, n n, d]
  const at::Tensor& first = forward ? pairs.forward : pairs.backward;
  const at::Tensor& second = forward ? pairs.backward : pairs.forward;
  const std::int64_t count = first.size(0);
  std::vector<at::Tensor> parts;
  for (std::int64_t begin = 0; begin < count; begin += kPairsAtATime) {
    const std::int64_t size = std::min(kPairsAtATime, count - begin);
    const at::Tensor joined = at::cat({cells.index_select(1, first.narrow(0, begin, size)),
                                       cells.index_select(1, second.narrow(0, begin, size))},
                                      -1);         // [B, pairs, 2d]
    parts.push_back(joined_logits(head, joined));  // [B, pairs, 3 + K]
  }
  return at::cat(parts, 1);
}

// [B, n(n-1)/2, 3] of [B, n(n-1)/2, 3 + K]
at::Tensor of_classes(const at::Tensor& logits) {
  return logits.size(-1) == kClasses ? logits : logits.narrow(-1, 0, kClasses);
}

}  // namespace

at::Tensor joined_logits(const ProjectionParams& head, const at::Tensor& joined) {
  return project_in_parts(head, joined, kClasses);
}

at::Tensor pairwise_logits(const ProjectionParams& head, const at::Tensor& graph, PairReading reading,
                           bool fused) {
  const std::int64_t count = graph.size(1) * (graph.size(1) - 1) / 2;
  const bool forward = reading == PairReading::kForward;
  const bool together = c10::GradMode::is_enabled() || count <= kPairsAtATime;
  const at::Tensor logits = together ? joined_logits(head, autograd::join_pairs(graph, !forward, fused))
                                     : project_in_chunks(head, graph, forward);
  if (forward) return logits;
  std::vector<at::Tensor> turned = {logits.narrow(-1, 0, 1), logits.narrow(-1, 2, 1),
                                    logits.narrow(-1, 1, 1)};
  if (logits.size(-1) > kClasses) turned.push_back(logits.narrow(-1, kClasses, logits.size(-1) - kClasses));
  return at::cat(turned, -1);
}

at::Tensor pairwise_probabilities(const ProjectionParams& head, const PairOutputs& outputs,
                                  const at::Tensor& graph, bool symmetrised, bool fused) {
  const std::int64_t B = graph.size(0), n = graph.size(1), K = static_cast<std::int64_t>(outputs.size());
  const auto read = [&](PairReading reading) {
    const at::Tensor logits = precise(pairwise_logits(head, graph, reading, fused));
    const at::Tensor classes = at::softmax(of_classes(logits), -1);
    return K == 0 ? classes : at::cat({classes, logits.narrow(-1, kClasses, K).sigmoid()}, -1);
  };
  at::Tensor said = read(PairReading::kForward);
  if (symmetrised) said = (said + read(PairReading::kBackward)) * 0.5;

  const Pairs pairs = all_pairs(n, graph.device());
  at::Tensor result = at::zeros({B, 1 + K, n * n}, said.options());
  const auto write = [&](std::int64_t part, std::int64_t forward, std::int64_t backward) {
    at::Tensor cells = result.select(1, part);
    cells.index_copy_(1, pairs.forward, said.select(-1, forward));
    cells.index_copy_(1, pairs.backward, said.select(-1, backward));
  };
  write(0, 1, 2);
  for (std::int64_t k = 0; k < K; ++k) write(1 + k, kClasses + k, kClasses + k);
  if (const std::int64_t feedback = place_of(outputs, PairOutput::kFeedback); feedback >= 0)
    result.select(1, 0).copy_(edges_with_feedback(result.select(1, 0), result.select(1, 1 + feedback)));
  return result.view({B, 1 + K, n, n});
}

at::Tensor edges_with_feedback(const at::Tensor& classes, const at::Tensor& feedback) {
  return (classes + feedback * 0.5).clamp_max(1.0);
}

at::Tensor vanilla_logits(const ProjectionParams& head, const at::Tensor& graph) {
  return project(head, graph).squeeze(-1);
}

at::Tensor vanilla_probabilities(const ProjectionParams& head, const at::Tensor& graph) {
  return ordered_probabilities(vanilla_logits(head, graph));
}

at::Tensor ordered_probabilities(const at::Tensor& logits) {
  return precise(logits).sigmoid();
}

at::Tensor pairwise_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                         const std::vector<std::int64_t>& cols) {
  const std::int64_t n = nodes_of_pairs(logits.size(1));
  const Pairs pairs = all_pairs(n, logits.device());
  const at::Tensor edges = adjacency.to(at::kLong).flatten(1, 2);  // [B, n n]
  const at::Tensor classes = edges.index_select(1, pairs.forward) + 2 * edges.index_select(1, pairs.backward);
  const at::Tensor losses =
      -at::log_softmax(precise(of_classes(logits)), -1).gather(-1, classes.unsqueeze(-1)).squeeze(-1);
  if (cols.empty()) return losses.mean();
  const at::Tensor real = real_pairs(n, cols, logits.device()).flatten(1, 2).index_select(1, pairs.forward);
  return (losses * real).sum() / (count_ordered_pairs(logits.size(0), n, cols) / 2);
}

at::Tensor output_losses(const at::Tensor& logits, const at::Tensor& labels,
                         const std::vector<std::int64_t>& cols) {
  const std::int64_t n = labels.size(2), K = labels.size(1);
  const Pairs pairs = all_pairs(n, logits.device());
  const at::Tensor truth =
      labels.flatten(2, 3).index_select(2, pairs.forward).transpose(1, 2);  // [B, pairs, K]
  const at::Tensor scores = precise(logits.narrow(-1, kClasses, K));
  at::Tensor known = truth.ge(0);
  if (!cols.empty())
    known = known.logical_and(
        real_pairs(n, cols, logits.device()).flatten(1, 2).index_select(1, pairs.forward).unsqueeze(-1));
  const at::Tensor losses = at::binary_cross_entropy_with_logits(scores, truth.eq(1).to(scores.scalar_type()),
                                                                 {}, {}, at::Reduction::None);
  const at::Tensor count = known.sum(at::IntArrayRef{0, 1}).clamp_min(1);
  return (losses * known).sum(at::IntArrayRef{0, 1}) / count;
}

at::Tensor vanilla_loss(const at::Tensor& logits, const at::Tensor& adjacency,
                        const std::vector<std::int64_t>& cols) {
  const at::Tensor scores = precise(logits);
  const at::Tensor losses = at::binary_cross_entropy_with_logits(scores, adjacency.to(scores.scalar_type()),
                                                                 {}, {}, at::Reduction::None);
  const at::Tensor real = real_pairs(logits.size(1), cols, logits.device());
  return (losses * real).sum() / count_ordered_pairs(logits.size(0), logits.size(1), cols);
}

at::Tensor mask_edges(const at::Tensor& probabilities, const std::vector<std::int64_t>& cols) {
  const at::Tensor real = real_pairs(probabilities.size(-1), cols, probabilities.device());
  return probabilities * (probabilities.dim() == 4 && real.dim() == 3 ? real.unsqueeze(1) : real);
}

}  // namespace causcale
