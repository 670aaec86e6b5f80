#include "discover/stacking/pair_network.h"

#include <cmath>

#include "base/random.h"

namespace causcale {
namespace {

template <class Network>
auto blocks_of(Network& network) {
  const auto block = [](auto& values) {
    return std::span(values.data(), static_cast<std::size_t>(values.size()));
  };
  return std::array{block(network.first),       block(network.first_bias), block(network.second),
                    block(network.second_bias), block(network.last),       block(network.last_bias)};
}

void fill_random(PairNetwork::Weights& matrix, RandomStream& random) {
  const double scale = std::sqrt(2.0 / static_cast<double>(matrix.cols()));
  for (Eigen::Index k = 0; k < matrix.size(); ++k)
    matrix.data()[k] = static_cast<float>(scale * random.normal());
}

struct Activations {
  Eigen::MatrixXf first, second;  // after ReLU
  PairLogits logits;
};

Activations activate(const PairNetwork& network, const Eigen::Ref<const Eigen::MatrixXf>& inputs) {
  Activations a;
  a.first = ((network.first * inputs).colwise() + network.first_bias).cwiseMax(0.0f);
  a.second = ((network.second * a.first).colwise() + network.second_bias).cwiseMax(0.0f);
  a.logits = (network.last * a.second).colwise() + network.last_bias;
  return a;
}

// Of one column: the loss, and in place of its logits their gradient.
double column_loss(Eigen::Ref<PairLogits> logits, Eigen::Index column, PairClass truth, bool confounded,
                   float weight) {
  auto classes = logits.col(column).head<kPairClasses>();
  const float highest = classes.maxCoeff();
  const float shift = highest + std::log((classes.array() - highest).exp().sum());
  const auto right = static_cast<Eigen::Index>(truth);
  double loss = weight * (shift - classes(right));
  classes = (classes.array() - shift).exp() * weight;
  classes(right) -= weight;
  float& common = logits(kPairClasses, column);
  const float counted = weight * kConfoundedWeight, sign = confounded ? 1.0f : -1.0f;
  // log(1 + exp(-s x)) without overflow
  loss += counted * (std::max(-sign * common, 0.0f) + std::log1p(std::exp(-std::abs(common))));
  common = counted * (1.0f / (1.0f + std::exp(-common)) - (confounded ? 1.0f : 0.0f));
  return loss;
}

}  // namespace

PairNetwork PairNetwork::random(int inputs, int hidden, std::uint64_t seed, std::uint32_t member) {
  RandomStream random(seed, member, Purpose::kStackingWeights);
  PairNetwork network;
  network.first.resize(hidden, inputs);
  network.second.resize(hidden, hidden);
  fill_random(network.first, random);
  fill_random(network.second, random);
  network.last = PairNetwork::Weights::Zero(kPairLogits, hidden);
  network.first_bias = network.second_bias = Eigen::VectorXf::Zero(hidden);
  network.last_bias = Eigen::VectorXf::Zero(kPairLogits);
  return network;
}

PairLogits PairNetwork::forward(const Eigen::Ref<const Eigen::MatrixXf>& inputs) const {
  return activate(*this, inputs).logits;
}

std::array<std::span<float>, 6> PairNetwork::blocks() {
  return blocks_of(*this);
}
std::array<std::span<const float>, 6> PairNetwork::blocks() const {
  return blocks_of(*this);
}

double pair_loss(const PairNetwork& network, const PairBatch& batch, PairNetwork* gradient) {
  Activations a = activate(network, batch.inputs);
  a.logits += batch.base;
  double loss = 0.0, total = 0.0;
  for (const float weight : batch.weights) total += weight;
  for (Eigen::Index k = 0; k < a.logits.cols(); ++k) {
    const auto pair = static_cast<std::size_t>(k);
    loss += column_loss(a.logits, k, batch.classes[pair], batch.confounded[pair] != 0,
                        batch.weights[pair] / static_cast<float>(total));
  }
  if (gradient == nullptr) return loss;
  gradient->last = a.logits * a.second.transpose();
  gradient->last_bias = a.logits.rowwise().sum();
  Eigen::MatrixXf back =
      (network.last.transpose() * a.logits).cwiseProduct((a.second.array() > 0.0f).cast<float>().matrix());
  gradient->second = back * a.first.transpose();
  gradient->second_bias = back.rowwise().sum();
  back = (network.second.transpose() * back).cwiseProduct((a.first.array() > 0.0f).cast<float>().matrix());
  gradient->first = back * batch.inputs.transpose();
  gradient->first_bias = back.rowwise().sum();
  return loss;
}

}  // namespace causcale
