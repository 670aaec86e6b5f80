// The network as everything above it sees it: tables in, probabilities of edges out, on whatever device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "causcale/matrix.h"
#include "core/channels.h"

namespace causcale::core {

// B tables of one size, each to be looked at in V views: in view v the columns with sign -1 are mirrored, in
// the data and in the prior.
struct NetworkInput {
  std::int64_t tables = 0, rows = 0, columns = 0, views = 1;  // B, m, n, V
  std::vector<float> data;   // [B, m, n, 2 + channels]: standardised value, intervention flag, then channels
  std::vector<float> prior;  // [B, n, n]
  std::vector<float> pairs;  // [B, n, n, channels]: of pairs (core/channels.h); empty without any
  std::vector<float> signs;  // [V, B, n]: +1 or -1; empty: all +1
};

struct PassOptions {
  int threads = 0;             // 0: all cores
  std::int64_t max_bytes = 0;  // working memory of a pass; 0: no limit
  bool symmetrised = true;     // the mean of both readings of each pair; false: the paper's reading i < j
  // Called on the calling thread between layers with the share of the pass that is done; may throw, which
  // ends the pass.
  std::function<void(double share)> progress = {};
};

// [n, n] each.
struct PairProbabilities {
  Matrix<double> edges;  // row -> column, whether the reverse holds as well or not; zero diagonal
  // Of both directions, and of a hidden common cause: symmetric, zero diagonal; empty where the model has no
  // such output.
  Matrix<double> feedback, confounded;
  bool operator==(const PairProbabilities&) const = default;

  Matrix<double>& of(PairOutput output) { return output == PairOutput::kFeedback ? feedback : confounded; }
};

// Of any edge between i and j.
inline double link_probability(const PairProbabilities& pairs, std::size_t i, std::size_t j) {
  const double both = pairs.feedback.empty() ? 0.0 : pairs.feedback(i, j);
  return pairs.edges(i, j) + pairs.edges(j, i) - both;
}

// A pair that acts both ways is taught as either direction, as likely as not, so that each class has half of
// its probability.
inline void add_feedback(PairProbabilities& pairs) {
  for (std::size_t k = 0; k < pairs.feedback.size(); ++k)
    pairs.edges.data()[k] = std::min(1.0, pairs.edges.data()[k] + pairs.feedback.data()[k] / 2);
}

class Network {
 public:
  virtual ~Network() = default;

  // Working memory of one pass, weights not included: under a limit (0: none), which is kept unless `least`
  // is more than it.
  struct Memory {
    std::int64_t bytes = 0;
    std::int64_t least = 0;
  };
  virtual Memory memory(std::int64_t rows, std::int64_t columns, int threads,
                        std::int64_t max_bytes) const = 0;
  virtual std::int64_t weight_bytes() const = 0;

  // Floating-point operations per second that can be expected of so many threads.
  virtual double expected_flops(int threads) const = 0;
  // What computes, for the record: "avx512", "sm_90".
  virtual std::string kernels() const = 0;

  // Whether several tables and views at once fill the device better than one after the other.
  virtual bool prefers_batches() const { return false; }
  // Whether the device has a faster way than the processor to a precision matrix of so many columns; then
  // that of centred values.
  virtual bool makes_priors(std::size_t) const { return false; }
  virtual Matrix<float> precision_of_centred(const Matrix<double>&) const { return {}; }
  // The most memory of the device that was in use since the last call of reset_peak(); 0 where nobody counts.
  virtual void reset_peak() const {}
  virtual std::int64_t peak_bytes() const { return 0; }

  // Of every view all tables, [V][B]. Safe from several threads.
  virtual std::vector<PairProbabilities> pair_probabilities(const NetworkInput& input,
                                                            const PassOptions& options) const = 0;
};

}  // namespace causcale::core
