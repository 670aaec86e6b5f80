// In which samples does setting a variable move another one? For several variables at once.
#pragma once

#include <span>

#include "samples/sample_sets.h"

namespace causcale {

class MovedSets {
 public:
  static constexpr int kMostVariables = 64;

  // Of the variables first, ..., first + width - 1.
  MovedSets(const GraphSamples& samples, int first, int width);

  // The samples in which `node` is a descendant of `variable`, or that variable itself.
  std::span<const std::uint64_t> set(int variable, int node) const {
    return {bits_.data() + (static_cast<std::size_t>(variable - first_) * nodes_ + node) * words_, words_};
  }

 private:
  int first_;
  std::size_t nodes_, words_;
  std::vector<std::uint64_t> bits_;  // [variable, node, words]
};

}  // namespace causcale
