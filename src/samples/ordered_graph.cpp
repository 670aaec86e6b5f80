#include "samples/ordered_graph.h"

#include <algorithm>
#include <numeric>

namespace causcale {
namespace {

void take_out(std::vector<int>& list, int value) {
  const auto found = std::ranges::find(list, value);
  *found = list.back();
  list.pop_back();
}

}  // namespace

OrderedGraph::OrderedGraph(int nodes)
    : children_(nodes), parents_(nodes), position_(nodes), at_(nodes), seen_(nodes), came_from_(nodes) {
  std::iota(position_.begin(), position_.end(), 0);
  std::iota(at_.begin(), at_.end(), 0);
}

bool OrderedGraph::has_edge(int source, int target) const {
  return std::ranges::find(children_[source], target) != children_[source].end();
}

void OrderedGraph::remove(int source, int target) {
  take_out(children_[source], target);
  take_out(parents_[target], source);
}

void OrderedGraph::start_visits() {
  if (++round_ == 0) {
    std::ranges::fill(seen_, 0u);
    round_ = 1;
  }
}

bool OrderedGraph::visit(int node) {
  if (seen_[node] == round_) return false;
  seen_[node] = round_;
  return true;
}

bool OrderedGraph::try_add(int source, int target) {
  const int low = position_[target], high = position_[source];
  if (low < high) {
    // What lies ahead of the target, up to the place of the source, must not hold the source.
    start_visits();
    ahead_.assign(1, target);
    visit(target);
    for (std::size_t k = 0; k < ahead_.size(); ++k)
      for (const int child : children_[ahead_[k]]) {
        if (child == source) return false;
        if (position_[child] < high && visit(child)) ahead_.push_back(child);
      }
    start_visits();
    behind_.assign(1, source);
    visit(source);
    for (std::size_t k = 0; k < behind_.size(); ++k)
      for (const int parent : parents_[behind_[k]])
        if (position_[parent] > low && visit(parent)) behind_.push_back(parent);
    // The same places, first for those behind, then for those ahead, each in the order they had.
    const auto by_position = [&](int a, int b) { return position_[a] < position_[b]; };
    std::ranges::sort(behind_, by_position);
    std::ranges::sort(ahead_, by_position);
    behind_.insert(behind_.end(), ahead_.begin(), ahead_.end());
    stack_.clear();
    for (const int node : behind_) stack_.push_back(position_[node]);
    std::ranges::sort(stack_);
    for (std::size_t k = 0; k < behind_.size(); ++k) {
      position_[behind_[k]] = stack_[k];
      at_[stack_[k]] = behind_[k];
    }
  }
  children_[source].push_back(target);
  parents_[target].push_back(source);
  return true;
}

bool OrderedGraph::reaches(int from, int to, Edge without) {
  if (position_[from] > position_[to]) return false;
  start_visits();
  stack_.assign(1, from);
  visit(from);
  while (!stack_.empty()) {
    const int node = stack_.back();
    stack_.pop_back();
    for (const int child : children_[node]) {
      if (position_[child] > position_[to] || Edge{node, child} == without) continue;
      if (seen_[child] != round_) came_from_[child] = node;
      if (child == to) return true;
      if (visit(child)) stack_.push_back(child);
    }
  }
  return false;
}

std::vector<Edge> OrderedGraph::bridges(int from, int to) {
  std::vector<Edge> path, result;
  if (from == to || !reaches(from, to, {-1, -1})) return result;
  for (int node = to; node != from; node = came_from_[node]) path.push_back({came_from_[node], node});
  // An edge that all paths share lies on this one, too.
  for (const Edge& edge : path)
    if (!reaches(from, to, edge)) result.push_back(edge);
  std::ranges::sort(result);
  return result;
}

std::vector<Edge> OrderedGraph::edges() const {
  std::vector<Edge> result;
  for (int node = 0; node < nodes(); ++node)
    for (const int child : children_[node]) result.push_back({node, child});
  std::ranges::sort(result);
  return result;
}

}  // namespace causcale
