// Which rows answer a question about cause and outcome, and the estimates made of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "causcale/effects.h"
#include "effects/estimators.h"
#include "effects/variables.h"

namespace causcale {

class EffectEstimation {
 public:
  // `causal`: the nodes on directed paths from cause to outcome, which must not be intervened on.
  EffectEstimation(const EffectTable& table, int cause, int outcome, std::vector<int> causal);

  // Why there is no estimate at all; empty: there is.
  std::string obstacle() const;

  EffectEstimate linear(const std::string& name, std::span<const int> set) const;
  EffectEstimate front_door(std::span<const int> mediators) const;
  EffectEstimate instrument(const Instrument& instrument) const;
  // Two-valued causes: doubly robust; any: flexible. Nothing where rows of interventions on other variables
  // had to be used.
  void add_others(const std::string& name, std::span<const int> set, std::uint64_t seed,
                  std::vector<EffectEstimate>& estimates) const;
  // Rows with the cause alone intervened on, if any, against the observational ones.
  void add_experiments(std::vector<EffectEstimate>& estimates) const;

 private:
  struct Rows {
    std::vector<std::size_t> rows;
    bool within_regimes = false;  // differences between regimes have to be taken out
  };
  Rows usable_rows(std::span<const int> needed) const;
  EffectSample sample_of(const Rows& chosen, std::span<const int> set) const;
  EffectEstimate described(const std::string& estimator, const std::string& name, std::span<const int> set,
                           const EffectSample& sample, const SizeEstimate& found) const;

  const EffectTable& table_;
  int cause_, outcome_;
  std::vector<int> causal_;
};

}  // namespace causcale
