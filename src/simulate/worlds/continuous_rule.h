// How a number comes from its parents: a function of them, and noise.
#pragma once

#include <span>

#include "simulate/worlds/marginals.h"
#include "simulate/worlds/parent_function.h"
#include "simulate/worlds/system.h"

namespace causcale {

enum class RuleCoupling {
  kAdditive,
  kHeteroscedastic,  // the noise's size depends on the parents
  kMultiplicative,   // the function's value times one plus noise
  kPostNonlinear,    // a monotone function of the sum
};

inline constexpr NameTable<RuleCoupling, 4> kRuleCouplingNames{{
    {RuleCoupling::kAdditive, "additive"},
    {RuleCoupling::kHeteroscedastic, "heteroscedastic"},
    {RuleCoupling::kMultiplicative, "multiplicative"},
    {RuleCoupling::kPostNonlinear, "post_nonlinear"},
}};

struct ContinuousRule {
  FunctionKind function = FunctionKind::kLinear;
  RuleCoupling coupling = RuleCoupling::kAdditive;
  Shape noise = Shape::kNormal;
  double explained = 0.5;        // share of the variance that the function has, the rest is noise
  double autocorrelation = 0.0;  // of the noise from row to row
};

// Parents are standardised and cut at 8 deviations first, so that depth in the graph tells nothing of size.
// A root is its noise. The result has mean 0 and variance 1.
void fill_by_rule(const ContinuousRule& rule, const Digraph& graph, int node, const Columns& seen,
                  RandomStream& random, std::span<double> out);

// The same without noise, not standardised: an exact function of the parents.
void fill_function(FunctionKind kind, const Digraph& graph, int node, const Columns& seen,
                   RandomStream& random, std::span<double> out);

// First-order autoregression over the rows, of variance 1.
void autocorrelate(double autocorrelation, std::span<double> noise);

// One of the words of a table, drawn evenly from those that a setting allows.
template <class Choice, std::size_t N>
Choice draw_choice(const NameTable<Choice, N>& table, const std::vector<std::string>& allowed,
                   RandomStream& random) {
  return choice_named(table, allowed[random.below(static_cast<std::uint32_t>(allowed.size()))], "setting");
}

// The settings functions, couplings, noise, explained, and rules drawn from them.
std::vector<WorldSetting> rule_settings();

class RuleDraw {
 public:
  explicit RuleDraw(const WorldDraw& draw)
      : functions_(draw.words("functions")),
        couplings_(draw.words("couplings")),
        noises_(draw.words("noise")),
        explained_(draw.range("explained")) {}
  ContinuousRule draw(RandomStream& random) const;

 private:
  std::vector<std::string> functions_, couplings_, noises_;
  SettingRange explained_;
};

}  // namespace causcale
