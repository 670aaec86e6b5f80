// What the score-based searches (GES, GIES, BOSS) ask of a score: a sum over the nodes, each term a function
// of a node and its parents.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace causcale {

// How much each node would add to the score of a target as one more parent, given a list of parents that
// grows and shrinks at its end.
class ParentGains {
 public:
  virtual ~ParentGains() = default;
  virtual void push(int parent) = 0;
  virtual void pop() = 0;
  virtual std::size_t size() const = 0;
  virtual double gain(int node) const = 0;
};

// Safe to ask from several threads.
class LocalScore {
 public:
  virtual ~LocalScore() = default;
  virtual int nodes() const = 0;
  // Without variation: gets no edges.
  virtual bool constant(int node) const = 0;
  // Higher is better. `parents` in any order.
  virtual double local(int target, std::span<const int> parents) const = 0;
  // A set of more parents than this must not grow: every fit would be perfect.
  virtual double most_parents(int target) const = 0;
  // By differences of local(), unless a score knows a quicker way.
  virtual std::unique_ptr<ParentGains> gains(int target) const;
};

// A score that is costly to compute and therefore remembered.
class CachedScore : public LocalScore {
 public:
  double local(int target, std::span<const int> parents) const final;

 protected:
  // `parents` ascending.
  virtual double compute(int target, const std::vector<int>& parents) const = 0;

 private:
  struct Shard {
    std::mutex lock;
    std::unordered_map<std::string, double> known;
  };
  static constexpr std::size_t kShards = 16, kMostKept = 200000;
  mutable Shard shards_[kShards];
};

}  // namespace causcale
