#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "learn/baselines/grouped_mlp.h"
#include "learn/baselines/neural_methods.h"
#include "learn/baselines/tensors.h"
#include "methods/neural/sdcd_model.h"

namespace causcale {
namespace {

constexpr int kPowerSteps = 15;
constexpr double kLog2Pi = 1.8378770664093453;

// Left and right leading eigenvectors of a non-negative matrix by power iteration, kept between steps as the
// matrix changes little.
class LeadingEigenvectors {
 public:
  explicit LeadingEigenvectors(const at::Tensor& matrix)
      : left_(at::ones({matrix.size(0)}, matrix.options())), right_(left_.clone()) {}

  // The derivative of the spectral radius by the entries.
  at::Tensor radius_gradient(const at::Tensor& matrix) {
    const at::Tensor positive = matrix + 1e-6;  // a nilpotent matrix has no leading direction
    for (int step = 0; step < kPowerSteps; ++step) {
      left_ = normalized(at::mv(positive.t(), left_));
      right_ = normalized(at::mv(positive, right_));
    }
    return at::ger(left_, right_) / (at::dot(left_, right_) + 1e-6);
  }

 private:
  static at::Tensor normalized(const at::Tensor& vector) { return vector / (at::norm(vector) + 1e-30); }
  at::Tensor left_, right_;
};

// Mean over rows of the negative log-likelihood, summed over variables.
at::Tensor likelihood_loss(const GroupedMlp& model, const at::Tensor& values, const at::Tensor& weights) {
  const GroupedMlp::Output output = model.forward(values);
  const at::Tensor deviation = values - output.mean;
  const at::Tensor terms = 0.5 * (output.variance.log() + deviation * deviation / output.variance + kLog2Pi);
  return (terms * weights).sum() / values.size(0);
}

at::Tensor float_tensor(const Matrix<float>& values, at::Device device) {
  const at::Tensor tensor = at::empty(
      {static_cast<std::int64_t>(values.rows()), static_cast<std::int64_t>(values.cols())}, at::kFloat);
  std::copy(values.values().begin(), values.values().end(), tensor.data_ptr<float>());
  return tensor.to(device);
}

class TensorModel : public SdcdModel {
 public:
  TensorModel(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed, int hidden, int batch_size,
              at::Device device, RandomStream& random)
      : values_(float_tensor(rows.values, device)),
        weights_(float_tensor(rows.weights, device)),
        validation_(index_tensor(rows.validation, device)),
        batch_size_(batch_size),
        networks_(allowed, hidden, random, device),
        eigenvectors_(networks_.dense(networks_.pair_norms().detach())) {}

  void epoch(std::span<const int> order, const SdcdPrices& prices) override {
    if (!adam_) adam_ = std::make_unique<Adam>(networks_.leaves(), prices.learning_rate);
    const at::Tensor all = index_tensor(order, values_.device());
    for (std::int64_t begin = 0; begin < all.size(0); begin += batch_size_) {
      const at::Tensor batch = all.narrow(0, begin, std::min<std::int64_t>(batch_size_, all.size(0) - begin));
      at::Tensor loss =
          likelihood_loss(networks_, values_.index_select(0, batch), weights_.index_select(0, batch));
      loss = loss + prices.l1 * networks_.first_weights().abs().sum();
      for (const at::Tensor& leaf : networks_.leaves()) loss = loss + prices.l2 * (leaf * leaf).sum();
      if (prices.cycles > 0) {
        const at::Tensor norms = networks_.pair_norms();
        at::Tensor gradient;
        {
          const c10::NoGradGuard no_grad;
          gradient = networks_.per_pair(eigenvectors_.radius_gradient(networks_.dense(norms.detach())));
        }
        loss = loss + prices.cycles * (gradient * norms).sum();
      }
      adam_->step(torch::autograd::grad({loss}, networks_.leaves()));
    }
  }

  double validation_loss() override {
    const c10::NoGradGuard no_grad;
    return likelihood_loss(networks_, values_.index_select(0, validation_),
                           weights_.index_select(0, validation_))
        .item<double>();
  }

  Matrix<double> norms() const override { return matrix_of(networks_.dense(networks_.pair_norms())); }
  void remember() override { remembered_ = networks_.snapshot(); }
  void bring_back() override { networks_.restore(remembered_); }

 private:
  at::Tensor values_, weights_, validation_;
  std::int64_t batch_size_;
  GroupedMlp networks_;
  LeadingEigenvectors eigenvectors_;
  std::unique_ptr<Adam> adam_;
  std::vector<at::Tensor> remembered_;
};

}  // namespace

std::unique_ptr<SdcdModel> sdcd_tensor_model(const SdcdRows& rows, const Matrix<std::uint8_t>& allowed,
                                             int hidden, int batch_size, at::Device device,
                                             RandomStream random) {
  return std::make_unique<TensorModel>(rows, allowed, hidden, batch_size, device, random);
}

}  // namespace causcale
