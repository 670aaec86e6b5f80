#include "learn/optimise/muon.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace causcale {

at::Tensor orthogonalise(const at::Tensor& batch, int steps) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  const bool tall = batch.size(1) > batch.size(2);  // the smaller side makes the smaller product
  at::Tensor x = tall ? batch.transpose(1, 2) : batch;
  // The Frobenius norm bounds the largest singular value, which the iteration needs at most 1.
  const at::Tensor norm = at::linalg_vector_norm(x.to(at::promote_types(x.scalar_type(), at::kFloat)), 2,
                                                 at::IntArrayRef{1, 2}, /*keepdim=*/true);
  x = x / (norm + 1e-7).to(x.scalar_type());
  for (int step = 0; step < steps; ++step) {
    const at::Tensor s = at::bmm(x, x.transpose(1, 2));
    const at::Tensor polynomial = at::baddbmm(s, s, s, b, c);  // b s + c s s
    x = at::baddbmm(x, polynomial, x, a, 1.0);
  }
  return tall ? x.transpose(1, 2) : x;
}

Muon::Muon(const WeightLayout& layout, MuonOptions options, const at::Tensor& masters,
           at::ScalarType iteration_type)
    : groups_(layout.groups),
      end_(layout.muon_end),
      options_(options),
      iteration_type_(iteration_type),
      momentum_(at::zeros({layout.muon_end}, masters.options())) {}

void Muon::step(at::Tensor& masters, const at::Tensor& gradient, double learning_rate,
                const at::Tensor& accepted) {
  if (groups_.empty()) return;
  c10::NoGradGuard no_grad;
  const at::Tensor mine = gradient.narrow(0, 0, end_);
  // A refused step keeps the momentum as it is: factor 1 instead of `momentum`, and nothing is added.
  momentum_.mul_(1.0 - accepted * (1.0 - options_.momentum)).add_(mine);
  const at::Tensor nesterov = at::add(mine, momentum_, options_.momentum).to(iteration_type_);
  const at::Tensor rate = accepted * -learning_rate;
  if (options_.weight_decay > 0.0) masters.narrow(0, 0, end_).mul_(1.0 + rate * options_.weight_decay);
  for (const MatrixGroup& group : groups_) {
    const std::int64_t size = group.count * group.rows * group.cols;
    const at::Tensor batch =
        nesterov.narrow(0, group.offset, size).view({group.count, group.rows, group.cols});
    const double scale = std::sqrt(std::max(1.0, static_cast<double>(group.rows) / group.cols));
    const at::Tensor direction = orthogonalise(batch, options_.newton_schulz_steps);
    masters.narrow(0, group.offset, size)
        .view(batch.sizes())
        .addcmul_(direction.to(masters.scalar_type()), rate, scale);
  }
}

}  // namespace causcale
