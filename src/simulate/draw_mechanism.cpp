#include "simulate/draw_mechanism.h"

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

using Parameters = std::vector<float>;

double random_sign(RandomStream& random) {
  return random.coin() ? 1.0 : -1.0;
}

void draw_linear(int parents, RandomStream& random, Parameters& out) {
  for (int p = 0; p < parents; ++p) {
    const double magnitude = random.uniform(0.25, 1.0);
    out.push_back(magnitude * random_sign(random));
  }
}

// One hidden layer; `extra_input` is the noise as an input.
void draw_network(int parents, int units, bool extra_input, RandomStream& random, Parameters& out) {
  const int inputs = parents + (extra_input ? 1 : 0);
  const double bias_range = 1.0 / std::sqrt(inputs);
  for (int u = 0; u < units; ++u) {
    for (int i = 0; i < inputs; ++i) out.push_back(random.normal());
    out.push_back(random.uniform(-bias_range, bias_range));
    out.push_back(random.normal());
  }
  const double out_range = 1.0 / std::sqrt(units);
  out.push_back(random.uniform(-out_range, out_range));
}

void draw_sigmoid(RandomStream& random, Parameters& out) {
  out.push_back(1.0 + 0.25 * random.exponential());
  const double slope = random.uniform(0.5, 2.0);
  out.push_back(slope * random_sign(random));
  out.push_back(random.uniform(-2.0, 2.0));
}

void draw_polynomial(int parents, RandomStream& random, Parameters& out) {
  for (int i = 0; i < 3 * parents; ++i) out.push_back(random.uniform());
}

// Length scale and size of a random smooth function of standardized inputs. Distances grow with the root of
// the number of inputs, and the length scale with them.
double draw_length(int inputs, RandomStream& random) {
  return random.uniform(0.7, 2.0) * std::sqrt(inputs);
}

double draw_size(RandomStream& random) {
  return random.uniform(0.7, 2.0);
}

void draw_fourier_features(int inputs, int units, double length, double size, RandomStream& random,
                           Parameters& out) {
  constexpr double kTurn = 6.283185307179586;
  for (int u = 0; u < units; ++u) {
    for (int i = 0; i < inputs; ++i) out.push_back(random.normal() / (length * kTurn));
    out.push_back(random.uniform());
    out.push_back(size * std::sqrt(2.0 / units));
  }
}

// A Gaussian-process function as the conditional mean given its exact values at the anchors: values = L z
// with K = L L', and the mean's weights K^-1 L z = L'^-1 z need one triangular solve only.
std::vector<double> gaussian_process_weights(const std::vector<double>& anchors, int inputs, double sharpness,
                                             RandomStream& random) {
  const int count = static_cast<int>(anchors.size()) / inputs;
  std::vector<double> lower(count * count, 0.0);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) {
      double distance = 0;
      for (int k = 0; k < inputs; ++k) {
        const double d = anchors[i * inputs + k] - anchors[j * inputs + k];
        distance += d * d;
      }
      double sum = std::exp(-sharpness * distance) + (i == j ? 1e-3 : 0.0);
      for (int k = 0; k < j; ++k) sum -= lower[i * count + k] * lower[j * count + k];
      lower[i * count + j] = i == j ? std::sqrt(std::max(sum, 1e-9)) : sum / lower[j * count + j];
    }
  std::vector<double> weights(count);
  for (double& w : weights) w = random.normal();
  for (int i = count - 1; i >= 0; --i) {
    for (int k = i + 1; k < count; ++k) weights[i] -= lower[k * count + i] * weights[k];
    weights[i] /= lower[i * count + i];
  }
  return weights;
}

void draw_gaussian_process(int inputs, int units, bool grid, double size, RandomStream& random,
                           Parameters& out) {
  const double length = draw_length(inputs, random);
  const double sharpness = 0.5 / (length * length);
  std::vector<double> anchors(units * inputs);
  for (int u = 0; u < units; ++u)
    for (int i = 0; i < inputs; ++i)
      anchors[u * inputs + i] = grid ? -3.5 + 7.0 * u / (units - 1) : 1.2 * random.normal();
  const std::vector<double> weights = gaussian_process_weights(anchors, inputs, sharpness, random);
  out.push_back(sharpness);
  for (int u = 0; u < units; ++u) {
    for (int i = 0; i < inputs; ++i) out.push_back(anchors[u * inputs + i]);
    out.push_back(size * weights[u]);
  }
}

int unit_count(Mechanism kind) {
  switch (kind) {
    case Mechanism::kNeural:
      return 20;
    case Mechanism::kNeuralAdditive:
      return 10;
    case Mechanism::kFourier:
      return 40;
    case Mechanism::kFourierAdditive:
      return 16;
    case Mechanism::kGaussianProcess:
      return 40;
    case Mechanism::kGaussianProcessAdditive:
      return 20;
    default:
      return 0;
  }
}

}  // namespace

NodeMechanism draw_mechanism(Mechanism kind, NoiseCoupling coupling, int parents, RandomStream& random,
                             std::vector<float>& parameters) {
  NodeMechanism node{kind,    coupling,         static_cast<Link>(random.below(4)),
                     parents, unit_count(kind), static_cast<std::uint32_t>(parameters.size())};
  if (coupling == NoiseCoupling::kHeteroscedastic) {
    for (int p = 0; p < parents; ++p) parameters.push_back(random.normal() / std::sqrt(parents));
    parameters.push_back(random.uniform(-0.5, 0.5));
  }
  if (standardizes_inputs(kind)) {
    parameters.insert(parameters.end(), parents, 0.0f);
    parameters.insert(parameters.end(), parents, 1.0f);
  }
  const double per_parent = 1.0 / std::sqrt(std::max(parents, 1));
  switch (kind) {
    case Mechanism::kLinear:
    case Mechanism::kPostNonlinear:
      draw_linear(parents, random, parameters);
      break;
    case Mechanism::kNeural:
      draw_network(parents, node.units, true, random, parameters);
      break;
    case Mechanism::kNeuralAdditive:
      draw_network(parents, node.units, false, random, parameters);
      break;
    case Mechanism::kSigmoidAdditive:
      draw_sigmoid(random, parameters);
      break;
    case Mechanism::kPolynomial:
      draw_polynomial(parents, random, parameters);
      break;
    case Mechanism::kFourier: {
      const double length = draw_length(parents, random);
      draw_fourier_features(parents, node.units, length, draw_size(random), random, parameters);
      break;
    }
    case Mechanism::kFourierAdditive:
      for (int p = 0; p < parents; ++p) {
        const double length = draw_length(1, random);
        draw_fourier_features(1, node.units, length, draw_size(random) * per_parent, random, parameters);
      }
      break;
    case Mechanism::kGaussianProcess:
      draw_gaussian_process(parents, node.units, false, draw_size(random), random, parameters);
      break;
    case Mechanism::kGaussianProcessAdditive:
      for (int p = 0; p < parents; ++p)
        draw_gaussian_process(1, node.units, true, draw_size(random) * per_parent, random, parameters);
      break;
  }
  return node;
}

void scale_effects(const NodeMechanism& node, float scale, std::vector<float>& parameters) {
  const std::size_t P = node.parents, U = node.units;
  float* own = input_scales(node, parameters.data());
  if (standardizes_inputs(node.kind)) own += 2 * P;
  // Blocks of `length` numbers, in each of which those from `first` on are scaled, `count` of them.
  const auto scale_in_blocks = [&](std::size_t blocks, std::size_t length, std::size_t first,
                                   std::size_t count) {
    for (std::size_t b = 0; b < blocks; ++b, own += length)
      for (std::size_t i = first; i < first + count; ++i) own[i] *= scale;
  };
  switch (node.kind) {
    case Mechanism::kLinear:
    case Mechanism::kPostNonlinear:
      return scale_in_blocks(1, P, 0, P);
    case Mechanism::kNeural:
      return scale_in_blocks(U, P + 3, 0, P);
    case Mechanism::kNeuralAdditive:
    case Mechanism::kFourier:
      return scale_in_blocks(U, P + 2, P + 1, 1);
    case Mechanism::kSigmoidAdditive:
      return scale_in_blocks(1, 3, 0, 1);
    case Mechanism::kPolynomial:
      return scale_in_blocks(P, 3, 0, 3);
    case Mechanism::kFourierAdditive:
      return scale_in_blocks(P * U, 3, 2, 1);
    case Mechanism::kGaussianProcess:
      ++own;  // the sharpness
      return scale_in_blocks(U, P + 1, P, 1);
    case Mechanism::kGaussianProcessAdditive:
      for (std::size_t p = 0; p < P; ++p) {
        ++own;
        scale_in_blocks(U, 2, 1, 1);
      }
      return;
  }
}

void set_input_scales(const NodeMechanism& node, std::span<const float> centre,
                      std::span<const float> inverse_scale, std::vector<float>& parameters) {
  if (!standardizes_inputs(node.kind)) return;
  float* at = input_scales(node, parameters.data());
  at = std::copy(centre.begin(), centre.end(), at);
  std::copy(inverse_scale.begin(), inverse_scale.end(), at);
}

}  // namespace causcale
