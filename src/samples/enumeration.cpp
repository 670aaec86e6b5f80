#include "samples/enumeration.h"

#include <bit>

namespace causcale {

Enumeration::Enumeration(const WeightComponent& component) : size_(static_cast<int>(component.nodes.size())) {
  const int k = size_;
  const Set all = (Set{1} << k) - 1;
  to_.assign(k * k, 0.0);
  none_.assign(k * k, 1.0);
  for (const PairWeight& pair : component.pairs) {
    to_[pair.a * k + pair.b] = pair.forward;
    to_[pair.b * k + pair.a] = pair.reverse;
    none_[pair.a * k + pair.b] = none_[pair.b * k + pair.a] = pair.none;
  }
  any_.assign((std::size_t{all} + 1) * k, 1.0);
  some_.assign((std::size_t{all} + 1) * k, 0.0);
  std::vector<double> without((std::size_t{all} + 1) * k, 1.0), inner(std::size_t{all} + 1, 1.0);
  for (Set set = 1; set <= all; ++set) {
    const int t = std::countr_zero(set);
    const Set rest = set & (set - 1);
    for (int v = 0; v < k; ++v) {
      const double edge = to_[t * k + v], none = none_[t * k + v];
      any_[set * k + v] = any(rest, v) * (edge + none);
      without[set * k + v] = without[rest * k + v] * none;
      some_[set * k + v] = some(rest, v) * (edge + none) + without[rest * k + v] * edge;
    }
    inner[set] = inner[rest] * without[rest * k + t];
  }

  weight_.assign((std::size_t{all} + 1) << k, 0.0);
  std::vector<Set> sets;
  std::vector<double> factors;
  for (Set nodes = 1; nodes <= all; ++nodes)
    for (Set sources = nodes; sources; sources = (sources - 1) & nodes) {
      const Set rest = nodes & ~sources;
      double sum = 1.0;
      if (rest) {
        sum_terms(sources, rest, sets, factors);
        sum = 0.0;
        for (std::size_t u = 1; u < sets.size(); ++u) sum += weight(rest, sets[u]) * factors[u];
      }
      weight(nodes, sources) = inner[sources] * sum;
    }
  for (Set sources = all; sources; --sources) total_ += weight(all, sources);
}

void Enumeration::sum_terms(Set sources, Set rest, std::vector<Set>& sets,
                            std::vector<double>& factors) const {
  sets.assign(1, 0);
  factors.assign(1, 1.0);
  for (; rest; rest &= rest - 1) {
    const int v = std::countr_zero(rest);
    const std::size_t count = sets.size();
    for (std::size_t u = 0; u < count; ++u) {
      sets.push_back(sets[u] | (Set{1} << v));
      factors.push_back(factors[u] * some(sources, v));
      factors[u] *= any(sources, v);
    }
  }
}

void Enumeration::draw_parents(Set parents, int v, bool at_least_one, RandomStream& random,
                               std::vector<Edge>& edges) const {
  for (; parents; parents &= parents - 1) {
    const int t = std::countr_zero(parents);
    const Set rest = parents & (parents - 1);
    const double edge = to_[t * size_ + v], none = none_[t * size_ + v];
    const double with = edge * any(rest, v);
    const double without = none * (at_least_one ? some(rest, v) : any(rest, v));
    if (random.uniform() * (with + without) >= with) continue;
    edges.push_back({t, v});
    at_least_one = false;
  }
}

void Enumeration::draw(RandomStream& random, std::vector<Edge>& edges) const {
  Set nodes = (Set{1} << size_) - 1, sources = 0;
  double left = random.uniform() * total_;
  for (Set set = nodes; set; --set) {
    if (weight(nodes, set) <= 0.0) continue;
    sources = set;
    left -= weight(nodes, set);
    if (left < 0.0) break;
  }
  std::vector<Set> sets;
  std::vector<double> factors;
  while (const Set rest = nodes & ~sources) {
    sum_terms(sources, rest, sets, factors);
    double sum = 0.0;
    for (std::size_t u = 1; u < sets.size(); ++u) sum += factors[u] *= weight(rest, sets[u]);
    left = random.uniform() * sum;
    Set chosen = 0;
    for (std::size_t u = 1; u < sets.size(); ++u) {
      if (factors[u] <= 0.0) continue;
      chosen = sets[u];
      left -= factors[u];
      if (left < 0.0) break;
    }
    for (Set v = rest; v; v &= v - 1) {
      const int node = std::countr_zero(v);
      draw_parents(sources, node, (chosen >> node) & 1u, random, edges);
    }
    nodes = rest;
    sources = chosen;
  }
}

}  // namespace causcale
