#include "samples/chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace causcale {
namespace {

constexpr double kMostOdds = 1e4;

double chosen_with(double odds) {
  return std::min(odds, kMostOdds);
}

bool by_pair(const Edge& x, const Edge& y) {
  return std::minmax(x.source, x.target) < std::minmax(y.source, y.target);
}

}  // namespace

ChainTarget::ChainTarget(const WeightComponent& component)
    : nodes_(static_cast<int>(component.nodes.size())), pairs_(component.pairs), draw_(component.pairs) {
  begin_.assign(nodes_ + 1, 0);
  for (const PairWeight& pair : pairs_) ++begin_[pair.a + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  double sum = 0.0;
  for (const PairWeight& pair : pairs_)
    for (const Edge& edge : {Edge{pair.a, pair.b}, Edge{pair.b, pair.a}}) {
      const double odds = this->odds(edge.source, edge.target);
      if (!(odds > 0.0) || !std::isfinite(odds)) continue;
      swap_edges_.push_back(edge);
      swap_sum_.push_back(sum += chosen_with(odds));
    }
}

const PairWeight* ChainTarget::find(int a, int b) const {
  const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(begin_[a]);
  const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(begin_[a + 1]);
  const auto found = std::ranges::lower_bound(first, last, b, {}, &PairWeight::b);
  return found != last && found->b == b ? &*found : nullptr;
}

double ChainTarget::odds(int source, int target) const {
  const PairWeight* pair = find(std::min(source, target), std::max(source, target));
  if (!pair) return 0.0;
  const double edge = source < target ? pair->forward : pair->reverse;
  if (pair->none > 0.0) return edge / pair->none;
  return edge > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
}

GraphChain::GraphChain(const ChainTarget& target, RandomStream random)
    : target_(target), random_(random), graph_(target.nodes()) {
  const int n = target.nodes();
  std::vector<std::vector<int>> after(n);
  std::vector<int> waiting_for(n, 0), ready, position(n);
  for (const PairWeight& pair : target.pairs()) {
    if (!pair.forced_forward() && !pair.forced_reverse()) continue;
    const auto [first, second] =
        pair.forced_forward() ? std::pair(pair.a, pair.b) : std::pair(pair.b, pair.a);
    after[first].push_back(second);
    ++waiting_for[second];
  }
  for (int v = 0; v < n; ++v)
    if (waiting_for[v] == 0) ready.push_back(v);
  for (int place = 0; !ready.empty(); ++place) {
    std::swap(ready[random_.below(static_cast<std::uint32_t>(ready.size()))], ready.back());
    const int v = ready.back();
    ready.pop_back();
    position[v] = place;
    for (const int next : after[v])
      if (--waiting_for[next] == 0) ready.push_back(next);
  }
  for (const PairWeight& pair : target.pairs()) {
    const bool forwards = position[pair.a] < position[pair.b];
    const double edge = forwards ? pair.forward : pair.reverse;
    if (random_.uniform() * (edge + pair.none) >= edge) continue;
    if (forwards)
      graph_.try_add(pair.a, pair.b);
    else
      graph_.try_add(pair.b, pair.a);
  }
}

int GraphChain::state(int a, int b) const {
  return graph_.has_edge(a, b) ? 1 : graph_.has_edge(b, a) ? 2 : 0;
}

double GraphChain::log_weight() const {
  double sum = 0.0;
  for (int source = 0; source < graph_.nodes(); ++source)
    for (const int target : graph_.children(source)) {
      const double odds = target_.odds(source, target);
      const PairWeight& pair = *target_.find(std::min(source, target), std::max(source, target));
      sum += std::isfinite(odds) ? std::log(odds) : std::log(source < target ? pair.forward : pair.reverse);
    }
  return sum;
}

void GraphChain::sweep_pairs() {
  proposed_.clear();
  target_.draw_.draw(random_, proposed_);
  std::ranges::sort(proposed_, by_pair);
  // Pairs that have no edge and are to get none stay as they are; the others come up in order. A pair's
  // state is changed by its own turn only, so the edges at the start say which have one.
  current_ = graph_.edges();
  std::ranges::sort(current_, by_pair);
  std::size_t p = 0, c = 0;
  while (p < proposed_.size() || c < current_.size()) {
    const bool has_new =
        p < proposed_.size() && (c == current_.size() || !by_pair(current_[c], proposed_[p]));
    const bool has_old =
        c < current_.size() && (p == proposed_.size() || !by_pair(proposed_[p], current_[c]));
    const Edge next = has_new ? proposed_[p] : Edge{-1, -1}, old = has_old ? current_[c] : Edge{-1, -1};
    p += has_new;
    c += has_old;
    if (has_new && has_old && next == old) continue;
    if (has_old) graph_.remove(old.source, old.target);
    if (has_new && !graph_.try_add(next.source, next.target) && has_old)
      graph_.try_add(old.source, old.target);
  }
}

void GraphChain::try_swap() {
  const double at = random_.uniform() * target_.swap_sum_.back();
  const auto found = std::ranges::upper_bound(target_.swap_sum_, at);
  const auto k = std::min<std::size_t>(found - target_.swap_sum_.begin(), target_.swap_edges_.size() - 1);
  const Edge in = target_.swap_edges_[k];
  if (state(in.source, in.target) != 0) return;
  const std::vector<Edge> choices = graph_.bridges(in.target, in.source);
  if (choices.empty()) return;
  const Edge out = choices[random_.below(static_cast<std::uint32_t>(choices.size()))];
  const double odds_in = target_.odds(in.source, in.target), odds_out = target_.odds(out.source, out.target);
  if (!std::isfinite(odds_out)) return;
  const double ratio = (odds_in / chosen_with(odds_in)) / (odds_out / chosen_with(odds_out));
  if (random_.uniform() >= ratio) return;
  graph_.remove(out.source, out.target);
  graph_.try_add(in.source, in.target);
}

void GraphChain::sweep() {
  sweep_pairs();
  if (target_.swap_edges_.empty()) return;
  for (int k = 0; k < graph_.nodes(); ++k) try_swap();
}

}  // namespace causcale
