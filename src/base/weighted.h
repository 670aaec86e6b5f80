// Values with the weights by which they are drawn.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/random.h"

namespace causcale {

template <class T>
class Weighted {
 public:
  Weighted() = default;
  explicit Weighted(T only) { add(std::move(only), 1.0); }

  // A weight of zero adds nothing.
  void add(T value, double weight) {
    if (weight <= 0.0) return;
    total_ += weight;
    values_.push_back(std::move(value));
    weights_.push_back(weight);
  }
  bool empty() const { return values_.empty(); }
  const std::vector<T>& values() const { return values_; }

  // The same weights on other values.
  template <class U, class Function>
  Weighted<U> map(const Function& function) const {
    Weighted<U> result;
    for (std::size_t i = 0; i < values_.size(); ++i) result.add(function(values_[i]), weights_[i]);
    return result;
  }

  const T& draw(RandomStream& random) const {
    double left = random.uniform() * total_;
    std::size_t chosen = 0;
    while (chosen + 1 < values_.size() && left >= weights_[chosen]) left -= weights_[chosen++];
    return values_[chosen];
  }

 private:
  std::vector<T> values_;
  std::vector<double> weights_;
  double total_ = 0.0;
};

}  // namespace causcale
