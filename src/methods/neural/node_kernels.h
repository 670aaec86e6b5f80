// Inner loops of node_networks.h, compiled for several instruction sets. One processor gives the same bits
// whatever the number of threads; processors with and without fused multiplication differ in the last place.
#pragma once

#include <cstddef>
#include <vector>

#include "methods/neural/packed_rows.h"

namespace causcale {

inline constexpr int kUnitGroup = 5;  // hidden units that are computed together

// out[u * out_stride + lane] = sum over t of factors[u * stride + t] * panel[place(t) * kTile + lane], for
// the units of one group; place(t) is places[t], or t itself when places is null.
void panel_product(const float* panel, const int* places, int steps, const float* factors, std::size_t stride,
                   float* out, std::size_t out_stride);

// What a variable's rows add up to, row lane by row lane until the end.
class OutputSums {
 public:
  explicit OutputSums(int units) : lanes_(static_cast<std::size_t>(3 * units + 3) * kTile, 0.0f) {}
  double loss() const;
  // First biases [units], output weights of the mean and of the variance [units each], their biases [2];
  // units from `hidden` on are padding and get none.
  void write_gradient(int hidden, int units, float* gradient) const;
  float* lanes() { return lanes_.data(); }

 private:
  std::vector<float> lanes_;  // the two output biases, the loss, then the quantities of write_gradient
};

// One tile of rows from the inputs of the hidden units to the loss and, unless slopes is null, back to its
// slope by each of those inputs, unit by unit with the given stride. small: the parameters in the order of
// write_gradient.
void hidden_to_loss(int units, const float* small, const float* values, const float* weights, float* hidden,
                    float* slopes, std::size_t stride, OutputSums& sums);

struct AdamFactors {
  float rate;     // learning rate, corrected for the first moment's start at zero
  float stretch;  // the same correction for the root of the second
  float decay;    // slope of the squared penalty
};
void adam_update(std::size_t count, const AdamFactors& factors, float l1, const float* gradient,
                 float* parameters, float* first, float* second);

}  // namespace causcale
