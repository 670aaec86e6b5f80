// The networks of GroupedMlp on the processor, trained by gradients written out by hand: the same function,
// loss and Adam, without autograd and without touching a weight that a pair does not have.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "causcale/matrix.h"
#include "methods/neural/packed_rows.h"

namespace causcale {

struct NodeStep {
  double learning_rate, l1, l2;
  double price;  // of the spectral radius; needs update_radius_gradients() before
};

class NodeNetworks {
 public:
  // allowed(i, j) = 1: variable j may listen to i.
  NodeNetworks(const Matrix<std::uint8_t>& allowed, int hidden, RandomStream& random);

  int nodes() const { return static_cast<int>(networks_.size()); }
  // Some node has most variables as inputs: PackedRows then needs its second layout.
  bool wants_across() const { return wants_across_; }
  std::size_t pairs() const;

  // One step of Adam on the network of one variable; different variables may be stepped at the same time.
  void step(int node, const PackedRows& rows, const NodeStep& settings);
  // Mean over rows of the negative log-likelihood of one variable.
  double loss(int node, const PackedRows& rows) const;
  // The derivative of loss() by weights (pairs of the node, unit by unit), first biases, output weights of
  // mean and of variance, and their two biases: the order in which parameters() holds them.
  std::vector<float> loss_gradient(int node, const PackedRows& rows) const;
  const std::vector<float>& parameters(int node) const { return networks_[node].parameters; }
  std::vector<float>& parameters(int node) { return networks_[node].parameters; }
  // Where in parameters() the weight from `source` to hidden unit `unit` lies; -1 where there is none.
  std::ptrdiff_t place(int node, int source, int unit) const;

  // Leading eigenvectors of the matrix of norms by some steps of power iteration from where they were last,
  // and from them the derivative of the spectral radius by every norm.
  void update_radius_gradients();
  Matrix<double> radius_gradients() const;  // row -> column
  Matrix<double> norms() const;             // row -> column

  using Snapshot = std::vector<std::vector<float>>;
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  struct Network {
    std::vector<int> sources;   // who stands in each place; all variables for a whole one
    std::vector<int> excluded;  // places of a whole network that carry no weight
    bool whole = false;
    int places = 0;  // sources, padded to whole tiles
    std::vector<float> parameters, first_moment, second_moment;
    std::vector<float> norms, radius_gradient;  // by place
    int steps = 0;
  };
  // Scratch of one thread.
  struct Work;

  double run(const Network& network, int node, const PackedRows& rows, Work& work, float* gradient) const;
  void update_norms(Network& network) const;

  int hidden_, units_;  // units: hidden, padded to whole groups
  bool wants_across_ = false;
  std::vector<Network> networks_;
  std::vector<float> left_, right_;
};

}  // namespace causcale
