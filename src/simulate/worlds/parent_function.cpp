#include "simulate/worlds/parent_function.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simulate/graph_model.h"

namespace causcale {
namespace {

double random_sign(RandomStream& random) {
  return random.coin() ? 1.0 : -1.0;
}

// Away from zero, so that no input is lost.
std::vector<double> draw_weights(int count, RandomStream& random) {
  std::vector<double> weights(count);
  for (double& w : weights) w = random_sign(random) * random.uniform(0.4, 1.5);
  return weights;
}

// Inputs in random order, in groups of at most `size`.
std::vector<std::vector<int>> draw_groups(int inputs, int size, RandomStream& random) {
  const std::vector<int> order = random_permutation(inputs, random);
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < inputs; ++i) {
    if (i % size == 0) groups.emplace_back();
    groups.back().push_back(order[i]);
  }
  return groups;
}

// Sums of trees that ask one question per level: every input of a group is asked about at least once.
ParentFunction draw_trees(int inputs, RandomStream& random) {
  struct Tree {
    std::vector<int> input;
    std::vector<double> threshold, leaf;
  };
  std::vector<Tree> trees;
  for (const std::vector<int>& group : draw_groups(inputs, 4, random)) {
    Tree tree;
    tree.input = group;
    while (tree.input.size() < 3 && random.coin(0.7)) tree.input.push_back(group[random.below(group.size())]);
    for (std::size_t k = 0; k < tree.input.size(); ++k) tree.threshold.push_back(0.7 * random.normal());
    tree.leaf.resize(std::size_t{1} << tree.input.size());
    for (double& value : tree.leaf) value = random.normal();
    trees.push_back(std::move(tree));
  }
  return [trees = std::move(trees)](std::span<const double> x) {
    double sum = 0;
    for (const Tree& tree : trees) {
      std::size_t leaf = 0;
      for (std::size_t k = 0; k < tree.input.size(); ++k)
        leaf = 2 * leaf + (x[tree.input[k]] > tree.threshold[k] ? 1 : 0);
      sum += tree.leaf[leaf];
    }
    return sum;
  };
}

// Every input its own function of one number, summed.
template <class Draw>
ParentFunction draw_sum(int inputs, RandomStream& random, Draw draw_one) {
  std::vector<decltype(draw_one(random))> parts;
  for (int i = 0; i < inputs; ++i) parts.push_back(draw_one(random));
  return [parts = std::move(parts)](std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) sum += parts[i](x[i]);
    return sum;
  };
}

ParentFunction draw_steps(int inputs, RandomStream& random) {
  return draw_sum(inputs, random, [](RandomStream& own) {
    std::vector<std::pair<double, double>> steps;  // place, height
    for (int k = 1 + static_cast<int>(own.below(4)); k > 0; --k) {
      const double place = 0.9 * own.normal();
      steps.emplace_back(place, random_sign(own) * own.uniform(0.4, 1.5));
    }
    return [steps = std::move(steps)](double x) {
      double sum = 0;
      for (const auto& [place, height] : steps) sum += x > place ? height : 0.0;
      return sum;
    };
  });
}

ParentFunction draw_products(int inputs, int size, bool centred, RandomStream& random) {
  const std::vector<std::vector<int>> groups = draw_groups(inputs, size, random);
  const std::vector<double> weights = draw_weights(static_cast<int>(groups.size()), random);
  std::vector<double> offsets(inputs, 0.0);
  if (!centred)
    for (double& offset : offsets) offset = random.normal();
  return [groups, weights, offsets](std::span<const double> x) {
    double sum = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      double product = weights[g];
      for (const int i : groups[g]) product *= x[i] + offsets[i];
      sum += product;
    }
    return sum;
  };
}

ParentFunction draw_periodic(int inputs, RandomStream& random) {
  if (random.coin()) {  // of one mixture of all inputs
    std::vector<double> weights = draw_weights(inputs, random);
    const double frequency = random.uniform(0.8, 2.5) / std::sqrt(inputs), phase = random.uniform(0.0, 6.28);
    return [weights = std::move(weights), frequency, phase](std::span<const double> x) {
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * x[i];
      return std::sin(frequency * sum + phase);
    };
  }
  return draw_sum(inputs, random, [](RandomStream& own) {
    const double height = own.uniform(0.4, 1.5), frequency = own.uniform(0.8, 4.0),
                 phase = own.uniform(0.0, 6.28);
    return [=](double x) { return height * std::sin(frequency * x + phase); };
  });
}

ParentFunction draw_saturating(int inputs, RandomStream& random) {
  return draw_sum(inputs, random, [](RandomStream& own) {
    const double height = random_sign(own) * own.uniform(0.4, 1.5), slope = own.factor(5.0),
                 centre = own.normal();
    return [=](double x) { return height * std::tanh(slope * (x - centre)); };
  });
}

ParentFunction draw_polynomial(int inputs, RandomStream& random) {
  return draw_sum(inputs, random, [](RandomStream& own) {
    const double linear = own.normal(), square = own.normal(), cube = own.coin() ? 0.3 * own.normal() : 0.0;
    return [=](double x) { return x * (linear + x * (square + x * cube)); };
  });
}

ParentFunction draw_network(int inputs, RandomStream& random) {
  const int layers = 1 + static_cast<int>(random.below(3)), width = 4 + static_cast<int>(random.below(9));
  const std::uint32_t bend = random.below(3);
  std::vector<std::vector<double>> weights;  // [layer][(inputs + 1) * width], the last row is the offset
  int from = inputs;
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<double> one(static_cast<std::size_t>(from + 1) * width);
    for (double& w : one) w = random.normal() * 1.5 / std::sqrt(from);
    weights.push_back(std::move(one));
    from = width;
  }
  const std::vector<double> last = draw_weights(width, random);
  return [weights = std::move(weights), last, width, bend](std::span<const double> x) {
    double buffer[2][16];
    std::span<const double> input = x;
    for (std::size_t layer = 0; layer < weights.size(); ++layer) {
      const std::vector<double>& w = weights[layer];
      double* out = buffer[layer % 2];
      for (int k = 0; k < width; ++k) out[k] = w[input.size() * width + k];
      for (std::size_t i = 0; i < input.size(); ++i)
        for (int k = 0; k < width; ++k) out[k] += input[i] * w[i * width + k];
      for (int k = 0; k < width; ++k)
        out[k] = bend == 0 ? std::tanh(out[k]) : bend == 1 ? std::max(0.0, out[k]) : std::sin(out[k]);
      input = {out, static_cast<std::size_t>(width)};
    }
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += last[k] * input[k];
    return sum;
  };
}

// Sums over groups of two or three, in which every input is the largest often enough to matter.
ParentFunction draw_extremes(int inputs, RandomStream& random) {
  struct Input {
    int number;
    double slope, offset;
  };
  std::vector<std::vector<Input>> groups;
  for (const std::vector<int>& members : draw_groups(inputs, 3, random)) {
    groups.emplace_back();
    for (const int i : members)
      groups.back().push_back({i, random_sign(random) * random.uniform(0.7, 1.3), 0.3 * random.normal()});
    // One input alone is compared with a constant.
    if (members.size() == 1) groups.back().push_back({members[0], 0.0, 0.3 * random.normal()});
  }
  const double sign = random_sign(random);
  return [groups = std::move(groups), sign](std::span<const double> x) {
    double sum = 0;
    for (const std::vector<Input>& group : groups) {
      double largest = -1e300;
      for (const Input& input : group)
        largest = std::max(largest, input.slope * x[input.number] + input.offset);
      sum += largest;
    }
    return sign * sum;
  };
}

}  // namespace

ParentFunction draw_parent_function(FunctionKind kind, int inputs, RandomStream& random) {
  switch (kind) {
    case FunctionKind::kTree:
      return draw_trees(inputs, random);
    case FunctionKind::kSteps:
      return draw_steps(inputs, random);
    case FunctionKind::kProduct:
      return draw_products(inputs, 3, false, random);
    case FunctionKind::kInteraction:
      return draw_products(inputs, 2, true, random);
    case FunctionKind::kPeriodic:
      return draw_periodic(inputs, random);
    case FunctionKind::kSaturating:
      return draw_saturating(inputs, random);
    case FunctionKind::kPolynomial:
      return draw_polynomial(inputs, random);
    case FunctionKind::kNetwork:
      return draw_network(inputs, random);
    case FunctionKind::kExtremes:
      return draw_extremes(inputs, random);
    case FunctionKind::kLinear:
      break;
  }
  return [weights = draw_weights(inputs, random)](std::span<const double> x) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * x[i];
    return sum;
  };
}

}  // namespace causcale
