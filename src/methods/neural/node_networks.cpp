#include "methods/neural/node_networks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "methods/neural/node_kernels.h"

namespace causcale {
namespace {

constexpr double kWholeShare = 0.25;  // above this share of inputs, gathering them does not pay
constexpr int kPowerSteps = 15;

}  // namespace

struct NodeNetworks::Work {
  std::vector<float> units, slopes;  // [row tile][unit][row]: outputs of the hidden layer; later their slopes
  std::vector<float> gathered;       // [place tile][row][place]
  std::vector<float> gradient;
};

NodeNetworks::NodeNetworks(const Matrix<std::uint8_t>& allowed, int hidden, RandomStream& random)
    : hidden_(hidden),
      units_((hidden + kUnitGroup - 1) / kUnitGroup * kUnitGroup),
      networks_(allowed.rows()),
      left_(allowed.rows(), 1.0f),
      right_(allowed.rows(), 1.0f) {
  const int n = nodes();
  // So small that the spectral radius of the norms starts below 1.
  const double first = 1.0 / (static_cast<double>(n) * std::sqrt(static_cast<double>(hidden)));
  const double second = 1.0 / std::sqrt(static_cast<double>(hidden));
  const auto draw = [&](double bound) {
    return static_cast<float>(bound * (2.0 * random.uniform_float() - 1.0));
  };
  for (int j = 0; j < n; ++j) {
    Network& network = networks_[j];
    for (int i = 0; i < n; ++i)
      if (allowed(i, j)) network.sources.push_back(i);
    network.whole = static_cast<double>(network.sources.size()) > kWholeShare * n;
    wants_across_ |= network.whole;
    if (network.whole) {
      network.sources.resize(n);
      for (int i = 0; i < n; ++i) {
        network.sources[i] = i;
        if (!allowed(i, j)) network.excluded.push_back(i);
      }
    }
    network.places = (static_cast<int>(network.sources.size()) + kTile - 1) / kTile * kTile;
    const std::size_t weights = static_cast<std::size_t>(units_) * network.places;
    network.parameters.assign(weights + 3 * static_cast<std::size_t>(units_) + 2, 0.0f);
    float* parameter = network.parameters.data();
    for (int u = 0; u < hidden_; ++u)
      for (std::size_t k = 0; k < network.sources.size(); ++k)
        if (allowed(network.sources[k], j)) parameter[u * network.places + k] = draw(first);
    for (int u = 0; u < hidden_; ++u) parameter[weights + u] = draw(first);
    for (int which = 1; which <= 2; ++which)
      for (int u = 0; u < hidden_; ++u) parameter[weights + which * units_ + u] = draw(second);
    for (int which = 0; which < 2; ++which) parameter[weights + 3 * units_ + which] = draw(second);
    network.first_moment.assign(network.parameters.size(), 0.0f);
    network.second_moment.assign(network.parameters.size(), 0.0f);
    network.radius_gradient.assign(network.places, 0.0f);
    update_norms(network);
  }
}

std::size_t NodeNetworks::pairs() const {
  std::size_t count = 0;
  for (const Network& network : networks_) count += network.sources.size() - network.excluded.size();
  return count;
}

std::ptrdiff_t NodeNetworks::place(int node, int source, int unit) const {
  const Network& network = networks_[node];
  const auto found = std::ranges::lower_bound(network.sources, source);
  if (found == network.sources.end() || *found != source) return -1;
  const int position = static_cast<int>(found - network.sources.begin());
  if (std::ranges::find(network.excluded, position) != network.excluded.end()) return -1;
  return static_cast<std::ptrdiff_t>(unit) * network.places + position;
}

// Loss, and its gradient unless `gradient` is null.
double NodeNetworks::run(const Network& network, int node, const PackedRows& rows, Work& work,
                         float* gradient) const {
  const int places = network.places, inputs = static_cast<int>(network.sources.size());
  const float* weights = network.parameters.data();
  const float* small = weights + static_cast<std::size_t>(units_) * places;  // biases and outputs
  const std::size_t tile_size = static_cast<std::size_t>(units_) * kTile;
  // Unit by unit through all row tiles, so that slopes lie as the second product wants its factors.
  const std::size_t stride = static_cast<std::size_t>(rows.row_tiles) * kTile;
  work.units.resize(tile_size);
  work.slopes.resize(tile_size * rows.row_tiles);
  OutputSums sums(units_);
  for (int tile = 0; tile < rows.row_tiles; ++tile) {
    for (int u = 0; u < units_; u += kUnitGroup)
      panel_product(rows.column(tile, 0), network.sources.data(), inputs,
                    weights + static_cast<std::size_t>(u) * places, places,
                    work.units.data() + static_cast<std::size_t>(u) * kTile, kTile);
    hidden_to_loss(units_, small, rows.column(tile, node), rows.column_weights(tile, node), work.units.data(),
                   gradient ? work.slopes.data() + static_cast<std::size_t>(tile) * kTile : nullptr, stride,
                   sums);
  }
  if (!gradient) return sums.loss();
  std::memset(gradient, 0, network.parameters.size() * sizeof(float));
  float* small_gradient = gradient + static_cast<std::size_t>(units_) * places;
  sums.write_gradient(hidden_, units_, small_gradient);

  const int padded_rows = rows.row_tiles * kTile;
  if (!network.whole) {
    work.gathered.assign(static_cast<std::size_t>(places) * padded_rows, 0.0f);
    for (int k = 0; k < inputs; ++k) {
      float* to =
          work.gathered.data() + static_cast<std::size_t>(k / kTile) * padded_rows * kTile + k % kTile;
      for (int tile = 0; tile < rows.row_tiles; ++tile) {
        const float* from = rows.column(tile, network.sources[k]);
        for (int r = 0; r < kTile; ++r) to[(static_cast<std::size_t>(tile) * kTile + r) * kTile] = from[r];
      }
    }
  }
  const float* panels = network.whole ? rows.across.data() : work.gathered.data();
  for (int k = 0; k < places; k += kTile)
    for (int u = 0; u < units_; u += kUnitGroup)
      panel_product(panels + static_cast<std::size_t>(k) * padded_rows, nullptr, padded_rows,
                    work.slopes.data() + static_cast<std::size_t>(u) * stride, stride,
                    gradient + static_cast<std::size_t>(u) * places + k, places);
  for (const int k : network.excluded)
    for (int u = 0; u < units_; ++u) gradient[static_cast<std::size_t>(u) * places + k] = 0.0f;
  return sums.loss();
}

void NodeNetworks::step(int node, const PackedRows& rows, const NodeStep& settings) {
  thread_local Work work;
  Network& network = networks_[node];
  work.gradient.resize(network.parameters.size());
  run(network, node, rows, work, work.gradient.data());
  const std::size_t weights = static_cast<std::size_t>(units_) * network.places;
  if (settings.price > 0) {
    for (int u = 0; u < hidden_; ++u) {
      float* gradient = work.gradient.data() + static_cast<std::size_t>(u) * network.places;
      const float* weight = network.parameters.data() + static_cast<std::size_t>(u) * network.places;
      const float price = static_cast<float>(settings.price);
      for (int k = 0; k < network.places; ++k)
        gradient[k] += price * network.radius_gradient[k] * weight[k] / (network.norms[k] + 1e-30f);
    }
  }
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999;
  ++network.steps;
  const AdamFactors factors{
      static_cast<float>(settings.learning_rate / (1.0 - std::pow(kBeta1, network.steps))),
      static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, network.steps))),
      static_cast<float>(2.0 * settings.l2)};
  const auto update = [&](std::size_t begin, std::size_t count, double l1) {
    adam_update(count, factors, static_cast<float>(l1), work.gradient.data() + begin,
                network.parameters.data() + begin, network.first_moment.data() + begin,
                network.second_moment.data() + begin);
  };
  update(0, weights, settings.l1);
  update(weights, network.parameters.size() - weights, 0.0);
  if (settings.price > 0) update_norms(network);
}

double NodeNetworks::loss(int node, const PackedRows& rows) const {
  Work work;
  return run(networks_[node], node, rows, work, nullptr);
}

std::vector<float> NodeNetworks::loss_gradient(int node, const PackedRows& rows) const {
  Work work;
  std::vector<float> gradient(networks_[node].parameters.size());
  run(networks_[node], node, rows, work, gradient.data());
  return gradient;
}

void NodeNetworks::update_norms(Network& network) const {
  network.norms.assign(network.places, 0.0f);
  for (int u = 0; u < hidden_; ++u) {
    const float* weight = network.parameters.data() + static_cast<std::size_t>(u) * network.places;
    for (int k = 0; k < network.places; ++k) network.norms[k] += weight[k] * weight[k];
  }
  for (float& norm : network.norms) norm = std::sqrt(norm);
}

void NodeNetworks::update_radius_gradients() {
  constexpr float kLeast = 1e-6f;  // added to every entry: a nilpotent matrix has no leading direction
  const auto normalise = [](std::vector<float>& vector) {
    double square = 0.0;
    for (const float value : vector) square += static_cast<double>(value) * value;
    const float scale = static_cast<float>(1.0 / (std::sqrt(square) + 1e-30));
    for (float& value : vector) value *= scale;
  };
  const auto total = [](const std::vector<float>& vector) {
    float sum = 0.0f;
    for (const float value : vector) sum += value;
    return sum;
  };
  const int n = nodes();
  std::vector<float> left(n), right(n);
  for (int step = 0; step < kPowerSteps; ++step) {
    const float left_rest = kLeast * total(left_), right_rest = kLeast * total(right_);
    std::ranges::fill(left, left_rest);
    std::ranges::fill(right, right_rest);
    for (int j = 0; j < n; ++j) {
      const Network& network = networks_[j];
      const int count = static_cast<int>(network.sources.size());
      for (int k = 0; k < count; ++k) {
        left[j] += network.norms[k] * left_[network.sources[k]];
        right[network.sources[k]] += network.norms[k] * right_[j];
      }
    }
    normalise(left);
    normalise(right);
    left_.swap(left);
    right_.swap(right);
  }
  float product = 1e-6f;
  for (int v = 0; v < n; ++v) product += left_[v] * right_[v];
  for (int j = 0; j < n; ++j) {
    Network& network = networks_[j];
    for (std::size_t k = 0; k < network.sources.size(); ++k)
      network.radius_gradient[k] = left_[network.sources[k]] * right_[j] / product;
  }
}

Matrix<double> NodeNetworks::radius_gradients() const {
  Matrix<double> result(nodes(), nodes());
  for (int j = 0; j < nodes(); ++j)
    for (std::size_t k = 0; k < networks_[j].sources.size(); ++k)
      result(networks_[j].sources[k], j) = networks_[j].radius_gradient[k];
  return result;
}

Matrix<double> NodeNetworks::norms() const {
  Matrix<double> result(nodes(), nodes());
  for (int j = 0; j < nodes(); ++j) {
    const Network& network = networks_[j];
    for (std::size_t k = 0; k < network.sources.size(); ++k) {
      double square = 0.0;
      for (int u = 0; u < hidden_; ++u)
        square += std::pow(network.parameters[static_cast<std::size_t>(u) * network.places + k], 2);
      result(network.sources[k], j) = std::sqrt(square);
    }
  }
  return result;
}

NodeNetworks::Snapshot NodeNetworks::snapshot() const {
  Snapshot copies;
  for (const Network& network : networks_) copies.push_back(network.parameters);
  return copies;
}

void NodeNetworks::restore(const Snapshot& snapshot) {
  for (std::size_t j = 0; j < networks_.size(); ++j) {
    networks_[j].parameters = snapshot[j];
    update_norms(networks_[j]);
  }
}

}  // namespace causcale
