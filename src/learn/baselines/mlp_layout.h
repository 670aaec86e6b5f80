// Where the weights of NOTEARS-MLP's networks stand in one long row: inputs [source][unit][target], their
// bias [unit][target], outputs [unit][target], their bias [target].
#pragma once

#include <cstdint>

namespace causcale {

struct MlpLayout {
  std::int64_t nodes, hidden;

  std::int64_t layer() const { return hidden * nodes; }  // units of all networks
  std::int64_t inputs() const { return nodes * layer(); }
  std::int64_t input(std::int64_t source, std::int64_t unit, std::int64_t target) const {
    return (source * hidden + unit) * nodes + target;
  }
  // Places of the first number of each of the other parts.
  std::int64_t first_bias() const { return inputs(); }
  std::int64_t outputs() const { return first_bias() + layer(); }
  std::int64_t output_bias() const { return outputs() + layer(); }
  std::int64_t size() const { return output_bias() + nodes; }
};

}  // namespace causcale
