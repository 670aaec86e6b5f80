#include "methods/score/local_score.h"

#include <algorithm>

namespace causcale {
namespace {

class DifferenceGains final : public ParentGains {
 public:
  DifferenceGains(const LocalScore& score, int target) : score_(score), target_(target) { base(); }
  void push(int parent) override {
    parents_.push_back(parent);
    base();
  }
  void pop() override {
    parents_.pop_back();
    base();
  }
  std::size_t size() const override { return parents_.size(); }
  double gain(int node) const override {
    std::vector<int> more = parents_;
    more.push_back(node);
    return score_.local(target_, more) - base_;
  }

 private:
  void base() { base_ = score_.local(target_, parents_); }

  const LocalScore& score_;
  int target_;
  std::vector<int> parents_;
  double base_ = 0.0;
};

}  // namespace

std::unique_ptr<ParentGains> LocalScore::gains(int target) const {
  return std::make_unique<DifferenceGains>(*this, target);
}

double CachedScore::local(int target, std::span<const int> parents) const {
  std::vector<int> sorted(parents.begin(), parents.end());
  std::ranges::sort(sorted);
  std::string key(reinterpret_cast<const char*>(sorted.data()), sorted.size() * sizeof(int));
  key.append(reinterpret_cast<const char*>(&target), sizeof target);
  Shard& shard = shards_[std::hash<std::string>()(key) % kShards];
  {
    const std::scoped_lock hold(shard.lock);
    if (const auto found = shard.known.find(key); found != shard.known.end()) return found->second;
  }
  const double value = compute(target, sorted);
  const std::scoped_lock hold(shard.lock);
  if (shard.known.size() >= kMostKept) shard.known.clear();
  shard.known.emplace(std::move(key), value);
  return value;
}

}  // namespace causcale
