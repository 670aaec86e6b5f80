#include "report/effect_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace causcale {
namespace {

constexpr double kCurvedBelow = 0.01;  // p of a straight line

}  // namespace

const EdgeEffect* find_effect(const DiscoverResult& result, const Edge& edge) {
  const auto found = std::ranges::lower_bound(result.effects, edge, {}, &EdgeEffect::edge);
  return found != result.effects.end() && found->edge == edge ? &*found : nullptr;
}

EffectFigures effect_figures(const DiscoverResult& result, const Edge& edge) {
  if (result.effects.empty()) return {};
  const EdgeEffect* found = find_effect(result, edge);
  const EdgeEffect effect = found ? *found : EdgeEffect{};
  EffectFigures figures;
  figures.emplace_back("effect", effect.size);
  figures.emplace_back("effect_low", effect.low);
  figures.emplace_back("effect_high", effect.high);
  if (result.bootstrap > 0) {
    figures.emplace_back("effect_graph_low", effect.graph_low);
    figures.emplace_back("effect_graph_high", effect.graph_high);
  }
  figures.emplace_back("effect_nonlinear_p", effect.nonlinear_p);
  figures.emplace_back("effect_shift", effect.shift);
  figures.emplace_back("effect_shift_low", effect.shift_low);
  figures.emplace_back("effect_shift_high", effect.shift_high);
  return figures;
}

std::string effect_text(const EdgeEffect* effect) {
  if (!effect) return "";
  if (std::isnan(effect->size)) return "not estimable";
  if (effect->kind == EffectKind::kCorrelationRatio) return fmt::format("{:.2f} (no sign)", effect->size);
  std::string text = fmt::format("{:+.2f}", effect->size);
  if (!std::isnan(effect->low)) text += fmt::format(" [{:.2f}, {:.2f}]", effect->low, effect->high);
  if (effect->nonlinear_p < kCurvedBelow) text += " curved";
  return text;
}

}  // namespace causcale
