#include "simulate/mechanisms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "simulate/draw_mechanism.h"

namespace causcale {
namespace {

constexpr int kRows = 8;

// The layouts of mechanisms.h read once more, plainly and in double precision.
double expected(const NodeMechanism& node, const float* own, const std::vector<double>& x, double e) {
  const int P = node.parents, U = node.units;
  if (node.coupling == NoiseCoupling::kHeteroscedastic) {
    double spread = own[P];
    for (int p = 0; p < P; ++p) spread += own[p] * x[p];
    e *= std::exp(std::tanh(spread));
    own += P + 1;
  }
  std::vector<double> z = x;
  if (standardizes_inputs(node.kind)) {
    for (int p = 0; p < P; ++p) z[p] = (x[p] - own[p]) * own[P + p];
    own += 2 * P;
  }
  const bool multiplies = node.coupling == NoiseCoupling::kMultiplicative;
  double f = 0;
  switch (node.kind) {
    case Mechanism::kLinear:
    case Mechanism::kPostNonlinear:
      for (int p = 0; p < P; ++p) f += own[p] * z[p];
      break;
    case Mechanism::kNeural:
      for (int u = 0; u < U; ++u, own += P + 3) {
        double h = own[P + 1] + own[P] * (multiplies ? 0 : e);
        for (int p = 0; p < P; ++p) h += own[p] * x[p];
        f += own[P + 2] * std::tanh(h);
      }
      f += *own;
      break;
    case Mechanism::kNeuralAdditive:
      for (int u = 0; u < U; ++u, own += P + 2) {
        double h = own[P];
        for (int p = 0; p < P; ++p) h += own[p] * x[p];
        f += own[P + 1] * (h > 0 ? h : 0.25 * h);
      }
      f += *own;
      break;
    case Mechanism::kSigmoidAdditive:
      for (int p = 0; p < P; ++p) {
        const double s = own[1] * (x[p] + own[2]);
        f += own[0] * s / (1 + std::abs(s));
      }
      break;
    case Mechanism::kPolynomial:
      for (int p = 0; p < P; ++p) {
        const double value = own[3 * p] + own[3 * p + 1] * x[p] + own[3 * p + 2] * x[p] * x[p];
        f += std::min(1.0, std::max(-1.0, value));
      }
      break;
    case Mechanism::kFourier:
      for (int u = 0; u < U; ++u, own += P + 2) {
        double turns = own[P];
        for (int p = 0; p < P; ++p) turns += own[p] * z[p];
        f += own[P + 1] * std::cos(2 * M_PI * turns);
      }
      break;
    case Mechanism::kFourierAdditive:
      for (int p = 0; p < P; ++p)
        for (int u = 0; u < U; ++u, own += 3) f += own[2] * std::cos(2 * M_PI * (own[0] * z[p] + own[1]));
      break;
    case Mechanism::kGaussianProcess: {
      const double sharpness = *own++;
      for (int u = 0; u < U; ++u, own += P + 1) {
        double distance = 0;
        for (int p = 0; p < P; ++p) distance += (z[p] - own[p]) * (z[p] - own[p]);
        f += own[P] * std::exp(-sharpness * distance);
      }
      break;
    }
    case Mechanism::kGaussianProcessAdditive:
      for (int p = 0; p < P; ++p) {
        const double sharpness = *own++;
        for (int u = 0; u < U; ++u, own += 2)
          f += own[1] * std::exp(-sharpness * (z[p] - own[0]) * (z[p] - own[0]));
      }
      break;
  }
  if (multiplies)
    f *= 1 + e;
  else if (node.kind != Mechanism::kNeural)
    f += e;
  if (node.kind != Mechanism::kPostNonlinear) return f;
  switch (node.link) {
    case Link::kTanh:
      return std::tanh(f);
    case Link::kCubic:
      return 0.5 * f + 0.25 * f * f * f;
    case Link::kSoftplus:
      return std::log1p(std::exp(f));
    case Link::kSignedRoot:
      return f / std::sqrt(0.1 + std::abs(f));
  }
  return f;
}

TEST(Mechanisms, TilesEqualThePlainFormulaInDoublePrecision) {
  for (int kind = 0; kind <= static_cast<int>(Mechanism::kPostNonlinear); ++kind)
    for (int coupling = 0; coupling < 3; ++coupling)
      for (const int parents : {1, 2, 7}) {
        RandomStream random(1, static_cast<std::uint32_t>(kind), coupling, parents);
        std::vector<float> parameters(3, 0.0f);  // blocks need not start at zero
        const NodeMechanism node = draw_mechanism(
            static_cast<Mechanism>(kind), static_cast<NoiseCoupling>(coupling), parents, random, parameters);
        std::vector<float> centre(parents), inverse_scale(parents);
        for (int p = 0; p < parents; ++p) {
          centre[p] = static_cast<float>(random.normal());
          inverse_scale[p] = static_cast<float>(random.uniform(0.5, 2.0));
        }
        set_input_scales(node, centre, inverse_scale, parameters);

        std::vector<std::vector<float>> columns(parents, std::vector<float>(2 * kRows));
        std::vector<const float*> pointers;
        std::vector<float> noise(2 * kRows);
        for (auto& column : columns) {
          for (float& x : column) x = static_cast<float>(2 * random.normal());
          pointers.push_back(column.data());
        }
        for (float& e : noise) e = static_cast<float>(0.5 * random.normal());
        for (const int first : {0, kRows}) {
          float many[kRows];
          MechanismTile<kRows>{pointers.data(), first}.apply(node, parameters.data(), noise.data() + first,
                                                             many);
          for (int r = 0; r < kRows; ++r) {
            const int row = first + r;
            std::vector<double> x(parents);
            for (int p = 0; p < parents; ++p) x[p] = columns[p][row];
            const double truth = expected(node, parameters.data() + node.parameters, x, noise[row]);
            EXPECT_NEAR(many[r], truth, 2e-4 * (1 + std::abs(truth)))
                << kind << " " << coupling << " " << parents;
            float one[1];
            MechanismTile<1>{pointers.data(), row}.apply(node, parameters.data(), noise.data() + row, one);
            EXPECT_NEAR(one[0], many[r], 1e-5 * (1 + std::abs(truth))) << "a tile of one row";
          }
        }
      }
}

double value_of(const NodeMechanism& node, const std::vector<float>& parameters, const std::vector<float>& x,
                float noise) {
  std::vector<const float*> pointers;
  for (const float& value : x) pointers.push_back(&value);
  float value[1];
  MechanismTile<1>{pointers.data(), 0}.apply(node, parameters.data(), &noise, value);
  return value[0];
}

// Where the noise is inside the function, weaker effects are those of smaller parents; elsewhere the function
// itself is smaller. How the noise depends on the parents does not change.
TEST(Mechanisms, ScaledEffectsAreSmallerBesideTheSameNoise) {
  constexpr float kScale = 0.25f;
  const std::vector<float> x = {0.7f, -1.3f, 0.2f}, y = {-0.4f, 0.6f, 1.1f}, small = {0.175f, -0.325f, 0.05f};
  for (int number = 0; number <= static_cast<int>(Mechanism::kPostNonlinear); ++number) {
    const auto kind = static_cast<Mechanism>(number);
    SCOPED_TRACE(number);
    RandomStream random(3, static_cast<std::uint32_t>(number), 0);
    for (const NoiseCoupling coupling : {NoiseCoupling::kAdditive, NoiseCoupling::kHeteroscedastic}) {
      std::vector<float> usual(5, 1.0f);
      const NodeMechanism node = draw_mechanism(kind, coupling, 3, random, usual);
      std::vector<float> weak = usual;
      scale_effects(node, kScale, weak);
      EXPECT_TRUE(std::equal(usual.begin(), usual.begin() + 5, weak.begin()));
      const auto change = [&](const std::vector<float>& parameters) {
        return value_of(node, parameters, x, 0.0f) - value_of(node, parameters, y, 0.0f);
      };
      if (kind == Mechanism::kNeural || kind == Mechanism::kPostNonlinear) {
        EXPECT_NEAR(value_of(node, weak, x, 0.0f), value_of(node, usual, small, 0.0f), 1e-5);
        if (coupling == NoiseCoupling::kAdditive) {
          EXPECT_NEAR(value_of(node, weak, x, 0.4f), value_of(node, usual, small, 0.4f), 1e-5);
        }
        continue;
      }
      if (kind == Mechanism::kPolynomial) {
        for (std::size_t i = weak.size() - 9; i < weak.size(); ++i) EXPECT_EQ(weak[i], kScale * usual[i]);
      } else {
        EXPECT_NEAR(change(weak), kScale * change(usual), 1e-5 * (1 + std::abs(change(usual))));
      }
      EXPECT_NEAR(value_of(node, weak, x, 0.4f) - value_of(node, weak, x, 0.0f),
                  value_of(node, usual, x, 0.4f) - value_of(node, usual, x, 0.0f), 1e-5);
    }
  }
}

// Parameter ranges of the paper's families.
TEST(Mechanisms, ParametersAreDrawnFromTheirRanges) {
  int positive = 0;
  double sigmoid_scale = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    RandomStream random(2, i, 0);
    std::vector<float> linear, sigmoid, polynomial;
    draw_mechanism(Mechanism::kLinear, NoiseCoupling::kAdditive, 1, random, linear);
    draw_mechanism(Mechanism::kSigmoidAdditive, NoiseCoupling::kAdditive, 3, random, sigmoid);
    draw_mechanism(Mechanism::kPolynomial, NoiseCoupling::kAdditive, 2, random, polynomial);
    ASSERT_EQ(linear.size(), 1u);
    ASSERT_EQ(sigmoid.size(), 3u);
    ASSERT_EQ(polynomial.size(), 6u);
    ASSERT_TRUE(std::abs(linear[0]) >= 0.25f && std::abs(linear[0]) <= 1.0f);
    ASSERT_TRUE(sigmoid[0] >= 1 && std::abs(sigmoid[1]) >= 0.5f && std::abs(sigmoid[1]) <= 2.0f);
    ASSERT_LE(std::abs(sigmoid[2]), 2.0f);
    for (const float c : polynomial) ASSERT_TRUE(c >= 0 && c <= 1);
    positive += linear[0] > 0;
    sigmoid_scale += sigmoid[0] - 1;
  }
  EXPECT_NEAR(positive, kDraws / 2, 5 * std::sqrt(kDraws / 4.0));
  EXPECT_NEAR(sigmoid_scale / kDraws, 0.25, 5 * 0.25 / std::sqrt(kDraws));

  std::vector<float> network;
  RandomStream random(3, 0, 0);
  draw_mechanism(Mechanism::kNeural, NoiseCoupling::kAdditive, 5, random, network);
  EXPECT_EQ(network.size(), 20u * (5 + 3) + 1);
  for (int u = 0; u < 20; ++u) EXPECT_LE(std::abs(network[u * 8 + 6]), 1 / std::sqrt(6.0f));
  network.clear();
  draw_mechanism(Mechanism::kNeuralAdditive, NoiseCoupling::kAdditive, 5, random, network);
  EXPECT_EQ(network.size(), 10u * (5 + 2) + 1);
}

// A random function of standardized inputs has variance size^2, size ~ U(0.7, 2): 1.943 on average.
TEST(Mechanisms, SmoothRandomFunctionsHaveTheStatedSize) {
  for (const Mechanism kind : {Mechanism::kFourier, Mechanism::kFourierAdditive, Mechanism::kGaussianProcess,
                               Mechanism::kGaussianProcessAdditive}) {
    double squares = 0;
    constexpr int kDraws = 1500;
    for (int i = 0; i < kDraws; ++i) {
      RandomStream random(4, i, static_cast<std::uint32_t>(kind));
      std::vector<float> parameters;
      const NodeMechanism node = draw_mechanism(kind, NoiseCoupling::kAdditive, 2, random, parameters);
      const float x[2] = {static_cast<float>(random.normal()), static_cast<float>(random.normal())};
      const float* pointers[] = {x, x + 1};
      const float noise[1] = {0.0f};
      float out[1];
      MechanismTile<1>{pointers, 0}.apply(node, parameters.data(), noise, out);
      squares += out[0] * out[0];
    }
    EXPECT_NEAR(squares / kDraws, 1.943, 0.35) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace causcale
