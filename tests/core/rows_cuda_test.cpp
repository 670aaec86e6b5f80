// The kernels around the axial layers against their definitions, on odd sizes.
#include "core/cuda/rows_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/cuda/embedding_kernels.h"
#include "core/cuda/pooling_kernels.h"
#include "core/cuda_cases.h"

namespace causcale::test {
namespace {

constexpr std::int64_t d = 128;

double bound(Storage storage) {
  return storage == Storage::kFloat ? 3e-6 : 8e-3;
}

class RowsCuda : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= static_cast<int>(storages().size())) GTEST_SKIP() << "this GPU computes in fp32";
    storage_ = storages()[static_cast<std::size_t>(GetParam())];
  }
  Storage storage_ = Storage::kFloat;
};

TEST_P(RowsCuda, ValuesOfDataAreMirroredByColumn) {
  const std::int64_t B = 2, V = 3, m = 5, n = 7;
  for (const int width : {2, 3, 4})
    for (const bool mirrored : {true, false}) {
      const std::vector<float> data = random_values(B * m * n * width, 1);
      std::vector<float> signs(static_cast<std::size_t>(V * B * n));
      for (std::size_t k = 0; k < signs.size(); ++k) signs[k] = k * 7 % 5 < 2 ? -1.0f : 1.0f;
      const OnDevice input(data, Storage::kFloat), sign_input(signs, Storage::kFloat);
      const OnDevice found(V * B * m * n * width, storage_);
      cuda::write_data_values({input.floats(), mirrored ? sign_input.floats() : nullptr, B, V, m, n, width},
                              found.data(), storage_, nullptr);
      const std::vector<float> values = found.values();
      for (std::int64_t k = 0; k < V * B * m * n; ++k)
        for (int i = 0; i < width; ++i) {
          const std::int64_t part = k / (m * n), cell = k % (m * n);
          const float wanted =
              data[static_cast<std::size_t>((part % B * m * n + cell) * width + i)] *
              (i == 0 && mirrored ? signs[static_cast<std::size_t>(part * n + cell % n)] : 1.0f);
          ASSERT_EQ(values[static_cast<std::size_t>(k * width + i)], rounded(wanted, storage_))
              << k << " " << i;
        }
    }
}

TEST_P(RowsCuda, ValuesOfPairsAreMirroredByBothColumns) {
  const std::int64_t B = 2, V = 2, n = 5;
  for (const int channels : {0, 1, 2})
    for (const bool mirrored : {true, false})
      for (const bool prior_used : {true, false}) {
        const std::vector<float> prior = random_values(B * n * n, 1),
                                 pairs = random_values(B * n * n * channels, 2);
        std::vector<float> signs(static_cast<std::size_t>(V * B * n));
        for (std::size_t k = 0; k < signs.size(); ++k) signs[k] = k * 7 % 5 < 2 ? -1.0f : 1.0f;
        const OnDevice prior_input(prior, Storage::kFloat), pair_input(pairs, Storage::kFloat),
            sign_input(signs, Storage::kFloat), found(V * B * n * n * (1 + channels), storage_);
        cuda::write_pair_values({prior_used ? prior_input.floats() : nullptr, pair_input.floats(),
                                 mirrored ? sign_input.floats() : nullptr, B, V, n, channels},
                                found.data(), storage_, nullptr);
        const std::vector<float> values = found.values();
        for (std::int64_t k = 0; k < V * B * n * n; ++k) {
          const std::int64_t part = k / (n * n), cell = k % (n * n), from = part % B * n * n + cell;
          float wanted = prior_used ? prior[static_cast<std::size_t>(from)] : 1.0f;
          if (prior_used && mirrored)
            wanted *= signs[static_cast<std::size_t>(part * n + cell / n)] *
                      signs[static_cast<std::size_t>(part * n + cell % n)];
          ASSERT_EQ(values[static_cast<std::size_t>(k * (1 + channels))], rounded(wanted, storage_));
          for (int c = 0; c < channels; ++c)
            ASSERT_EQ(values[static_cast<std::size_t>(k * (1 + channels) + 1 + c)],
                      rounded(pairs[static_cast<std::size_t>(from * channels + c)], storage_));
        }
      }
}

TEST_P(RowsCuda, EmbeddingOfOneToFourValues) {
  for (const std::int64_t inputs : {1, 2, 3, 4})
    for (const std::int64_t tokens : {1, 15, 33}) {
      const std::vector<float> values = rounded(random_values(tokens * inputs, 1), storage_),
                               weight = rounded(random_values(d * inputs, 2), storage_),
                               bias = rounded(random_values(d, 3), storage_),
                               gamma = rounded(random_values(d, 4, 0.2f, 1.0f), storage_),
                               beta = rounded(random_values(d, 5), storage_);
      const OnDevice v(values, storage_), w(weight, storage_), b(bias, storage_), g(gamma, storage_),
          e(beta, storage_);
      const OnDevice y(tokens * d, storage_);
      cuda::embed({v.data(), w.data(), b.data(), g.data(), e.data(), tokens, static_cast<int>(inputs)},
                  y.data(), nullptr, storage_, nullptr);
      std::vector<double> wanted;
      for (std::int64_t t = 0; t < tokens; ++t)
        append(wanted, layer_norm(linear(row_of(values, t, inputs), weight, bias), gamma, beta));
      EXPECT_LE(relative_difference(y.values(), wanted), bound(storage_)) << inputs << " " << tokens;
    }
}

TEST_P(RowsCuda, PoolingOfEveryKind) {
  for (const cuda::PoolKind kind : {cuda::PoolKind::kMean, cuda::PoolKind::kMax, cuda::PoolKind::kFirst})
    for (const auto& [m, r] : {std::pair<std::int64_t, int>{7, 2}, {9, 3}, {2, 2}, {5, 1}}) {
      const std::int64_t batch = 2, row = 3 * d, groups = m / r;
      const std::vector<float> x = rounded(random_values(batch * m * row, 1), storage_);
      const OnDevice input(x, storage_), y(batch * groups * row, storage_);
      cuda::pool(input.data(), y.data(), {batch, m, row / 8, r, kind}, storage_, nullptr);
      std::vector<double> wanted;
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t g = 0; g < groups; ++g)
          for (std::int64_t c = 0; c < row; ++c) {
            double value = x[static_cast<std::size_t>((b * m + g * r) * row + c)], sum = value;
            for (int k = 1; k < r; ++k) {
              const double other = x[static_cast<std::size_t>((b * m + g * r + k) * row + c)];
              sum += other;
              if (kind == cuda::PoolKind::kMax) value = std::max(value, other);
            }
            wanted.push_back(kind == cuda::PoolKind::kMean ? sum / r : value);
          }
      EXPECT_LE(relative_difference(y.values(), wanted), bound(storage_)) << m << " " << r;
    }
}

TEST_P(RowsCuda, MeansOverSamples) {
  for (const std::int64_t m : {1, 2, 31, 33, 515})
    for (const std::int64_t n : {1, 3, 7}) {
      const std::int64_t batch = 2;
      const std::vector<float> x = rounded(random_values(batch * m * n * d, 1), storage_);
      const OnDevice input(x, storage_), found(batch * n * d, storage_);
      cuda::mean_over_samples(input.data(), found.data(), batch, m, n, storage_, nullptr);
      std::vector<double> wanted(static_cast<std::size_t>(batch * n * d));
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t r = 0; r < m; ++r)
          for (std::int64_t c = 0; c < n * d; ++c)
            wanted[static_cast<std::size_t>(b * n * d + c)] +=
                static_cast<double>(x[static_cast<std::size_t>((b * m + r) * n * d + c)]) /
                static_cast<double>(m);
      EXPECT_LE(relative_difference(found.values(), wanted), bound(storage_)) << m << " " << n;
    }
}

std::vector<float> transposed(const std::vector<float>& matrix, std::int64_t rows, std::int64_t cols) {
  std::vector<float> result(matrix.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      result[static_cast<std::size_t>(c * rows + r)] = matrix[static_cast<std::size_t>(r * cols + c)];
  return result;
}

struct ProjectionCase {
  explicit ProjectionCase(unsigned seed)
      : first(random_values(d * d, seed, 0.1f)),
        first_bias(random_values(d, seed + 1)),
        gamma(random_values(d, seed + 2, 0.2f, 1.0f)),
        beta(random_values(d, seed + 3)),
        second(random_values(d * d, seed + 4, 0.1f)),
        second_bias(random_values(d, seed + 5)),
        on_device{OnDevice(transposed(first, d, d), Storage::kFloat),
                  OnDevice(first_bias, Storage::kFloat),
                  OnDevice(gamma, Storage::kFloat),
                  OnDevice(beta, Storage::kFloat),
                  OnDevice(transposed(second, d, d), Storage::kFloat),
                  OnDevice(second_bias, Storage::kFloat)} {}
  cuda::Projection128 weights() const {
    return {on_device[0].floats(), on_device[1].floats(), on_device[2].floats(),
            on_device[3].floats(), on_device[4].floats(), on_device[5].floats()};
  }
  Row of(const Row& x) const {
    Row hidden = linear(x, first, first_bias);
    for (double& value : hidden) value = gelu(value);
    return linear(layer_norm(hidden, gamma, beta), second, second_bias);
  }
  std::vector<float> first, first_bias, gamma, beta, second, second_bias;
  OnDevice on_device[6];
};

TEST_P(RowsCuda, ProjectionsUAndV) {
  const ProjectionCase u(10), v(20);
  for (const std::int64_t tokens : {1, 7, 8, 21}) {
    const std::vector<float> x = rounded(random_values(tokens * d, 1), storage_);
    const OnDevice input(x, storage_), u_found(tokens * d, storage_), v_found(tokens * d, storage_);
    cuda::project_u_v(input.data(), u.weights(), v.weights(), u_found.data(), v_found.data(), tokens,
                      storage_, nullptr);
    std::vector<double> u_wanted, v_wanted;
    for (std::int64_t t = 0; t < tokens; ++t) {
      append(u_wanted, u.of(row_of(x, t, d)));
      append(v_wanted, v.of(row_of(x, t, d)));
    }
    EXPECT_LE(relative_difference(u_found.values(), u_wanted), bound(storage_)) << tokens;
    EXPECT_LE(relative_difference(v_found.values(), v_wanted), bound(storage_)) << tokens;
  }
}

struct CellPair {
  std::int64_t graph, i, j;
};
std::vector<CellPair> all_pairs(std::int64_t graphs, std::int64_t n) {
  std::vector<CellPair> pairs;
  for (std::int64_t g = 0; g < graphs; ++g)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) pairs.push_back({g, i, j});
  return pairs;
}

TEST_P(RowsCuda, PairsAreNormedAndJoinedInRuns) {
  const std::vector<float> gamma = random_values(d, 4, 0.2f, 1.0f), beta = random_values(d, 5);
  const OnDevice g(gamma, Storage::kFloat), e(beta, Storage::kFloat);
  for (const std::int64_t n : {2, 3, 5, 17}) {
    const std::int64_t graphs = 2;
    const std::vector<float> graph = rounded(random_values(graphs * n * n * d, 1), storage_);
    const OnDevice input(graph, storage_);
    const std::vector<CellPair> pairs = all_pairs(graphs, n);
    const auto count = static_cast<std::int64_t>(pairs.size());
    for (const int readings : {1, 2})
      for (const std::int64_t first : {std::int64_t{0}, count / 3}) {
        const std::int64_t length = std::max<std::int64_t>(1, (count - first) * 2 / 3);
        const OnDevice found(readings * length * 2 * d, storage_);
        cuda::join_normed_pairs(input.data(), g.floats(), e.floats(), {first, length, n}, readings,
                                found.data(), storage_, nullptr);
        std::vector<double> wanted;
        for (int reading = 0; reading < readings; ++reading)
          for (std::int64_t k = first; k < first + length; ++k) {
            const CellPair& pair = pairs[static_cast<std::size_t>(k)];
            const std::int64_t ij = (pair.graph * n + pair.i) * n + pair.j,
                               ji = (pair.graph * n + pair.j) * n + pair.i;
            for (const std::int64_t cell : {reading == 0 ? ij : ji, reading == 0 ? ji : ij})
              append(wanted, layer_norm(row_of(graph, cell, d), gamma, beta));
          }
        EXPECT_LE(relative_difference(found.values(), wanted), bound(storage_)) << n << " " << first;
      }
  }
}

// Pair numbers of large graphs, where rounding could put a pair into the wrong row.
TEST(PairsCuda, NumbersOfLargeGraphsFindTheirPair) {
  const std::int64_t n = 4001, pairs = n * (n - 1) / 2, width = 256;
  const OnDevice bias(std::vector<float>(width, 0.0f), Storage::kFloat),
      ones(std::vector<float>(width, 1.0f), Storage::kFloat),
      second(std::vector<float>(3 * width, 0.0f), Storage::kFloat),
      second_bias(std::vector<float>{0.0f, 1.0f, 2.0f}, Storage::kFloat);
  const std::int64_t run = 1 << 16;
  const OnDevice hidden(std::vector<float>(static_cast<std::size_t>(run * width), 0.5f), Storage::kFloat);
  const OnDevice edges(n * n, Storage::kFloat);
  for (std::int64_t first = 0; first < pairs; first += run)
    cuda::read_pairs({hidden.floats(), bias.floats(), ones.floats(), bias.floats(), second.floats(),
                      second_bias.floats(), 3, 1},
                     {first, std::min(run, pairs - first), n}, edges.floats(), nullptr, n * n, nullptr);
  const std::vector<float> values = edges.values();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (i != j)  // classes 1 and 2 have other probabilities; the diagonal stays unwritten
        wrong += std::abs(values[static_cast<std::size_t>(i * n + j)] - (i < j ? 0.24472847f : 0.66524096f)) >
                 1e-5f;
      else
        wrong += !std::isnan(values[static_cast<std::size_t>(i * n + j)]);
  EXPECT_EQ(wrong, 0);
}

TEST(PairsCuda, HeadOfThreeToFiveLogits) {
  const std::int64_t width = 256;
  for (const int logits : {3, 4, 5})
    for (const int readings : {1, 2})
      for (const std::int64_t n : {2, 3, 9}) {
        const std::vector<CellPair> pairs = all_pairs(2, n);
        const auto count = static_cast<std::int64_t>(pairs.size());
        const std::vector<float> hidden = random_values(readings * count * width, 1),
                                 bias = random_values(width, 2), gamma = random_values(width, 3, 0.2f, 1.0f),
                                 beta = random_values(width, 4),
                                 second = random_values(logits * width, 5, 0.1f),
                                 second_bias = random_values(logits, 6);
        const OnDevice h(hidden, Storage::kFloat), b(bias, Storage::kFloat), g(gamma, Storage::kFloat),
            e(beta, Storage::kFloat), w(second, Storage::kFloat), c(second_bias, Storage::kFloat);
        const std::int64_t plane = 2 * n * n;
        const std::vector<float> zeros(static_cast<std::size_t>(plane * logits), 0.0f);
        const OnDevice edges(std::vector<float>(static_cast<std::size_t>(plane), 0.0f), Storage::kFloat),
            outputs(std::vector<float>(static_cast<std::size_t>(plane * (logits - 3) + 1), 0.0f),
                    Storage::kFloat);
        cuda::read_pairs(
            {h.floats(), b.floats(), g.floats(), e.floats(), w.floats(), c.floats(), logits, readings},
            {0, count, n}, edges.floats(), outputs.floats(), plane, nullptr);
        std::vector<double> wanted(static_cast<std::size_t>(plane)),
            others(static_cast<std::size_t>(plane * (logits - 3) + 1));
        for (int reading = 0; reading < readings; ++reading)
          for (std::int64_t k = 0; k < count; ++k) {
            Row row = row_of(hidden, reading * count + k, width);
            for (std::size_t i = 0; i < row.size(); ++i) row[i] = gelu(row[i] + bias[i]);
            const Row z = linear(layer_norm(row, gamma, beta), second, second_bias);
            const double sum = std::exp(z[0]) + std::exp(z[1]) + std::exp(z[2]);
            const CellPair& pair = pairs[static_cast<std::size_t>(k)];
            const auto ij = static_cast<std::size_t>((pair.graph * n + pair.i) * n + pair.j),
                       ji = static_cast<std::size_t>((pair.graph * n + pair.j) * n + pair.i);
            wanted[ij] += std::exp(z[reading == 0 ? 1 : 2]) / sum / readings;
            wanted[ji] += std::exp(z[reading == 0 ? 2 : 1]) / sum / readings;
            for (int o = 3; o < logits; ++o)
              for (const std::size_t cell : {ij, ji})
                others[static_cast<std::size_t>((o - 3) * plane) + cell] +=
                    1.0 / (1.0 + std::exp(-z[static_cast<std::size_t>(o)])) / readings;
          }
        EXPECT_LE(relative_difference(edges.values(), wanted), 5e-6) << logits << " " << readings << " " << n;
        EXPECT_LE(relative_difference(outputs.values(), others), 5e-6)
            << logits << " " << readings << " " << n;
      }
}

INSTANTIATE_TEST_SUITE_P(Storages, RowsCuda, testing::Values(0, 1),
                         [](const auto& info) { return info.param == 0 ? "fp32" : "bf16"; });

}  // namespace
}  // namespace causcale::test
