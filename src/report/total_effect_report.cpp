#include "report/total_effect_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace causcale {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> named(const std::vector<int>& variables, const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const int variable : variables) list.push_back(names[static_cast<std::size_t>(variable)]);
  return list;
}

std::string set_text(const std::vector<int>& variables, const std::vector<std::string>& names) {
  return variables.empty() ? "nothing" : fmt::format("{}", fmt::join(named(variables, names), ", "));
}

std::string interval_text(double size, double low, double high) {
  if (std::isnan(size)) return "-";
  std::string text = fmt::format("{:+.4g}", size);
  if (!std::isnan(low)) text += fmt::format(" [{:.4g}, {:.4g}]", low, high);
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  const auto used = static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
  return used < width ? text + std::string(width - used, ' ') : text;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::string adjustment_text(const EffectEstimate& estimate, const std::vector<std::string>& names) {
  const std::string all = set_text(estimate.adjustment, names);
  if (estimate.estimator == "front_door") return "by way of " + all;
  if (estimate.estimator == "instrument") {
    const std::vector<int> given(estimate.adjustment.begin() + 1, estimate.adjustment.end());
    return fmt::format("moved by {}{}", names[static_cast<std::size_t>(estimate.adjustment.front())],
                       given.empty() ? "" : ", given " + set_text(given, names));
  }
  return all +
         (estimate.set == "optimal" || estimate.set == "parents" ? fmt::format(" ({})", estimate.set) : "");
}

std::string estimates_text(const TotalEffect& effect, const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> lines{
      {"estimator", "effect [90 % interval]", "standardized", "rows", "adjusted for"}};
  for (const EffectEstimate& estimate : effect.estimates)
    lines.push_back({estimate.estimator, interval_text(estimate.size, estimate.low, estimate.high),
                     std::isnan(estimate.standardized) ? "-" : fmt::format("{:+.3f}", estimate.standardized),
                     std::to_string(estimate.rows), adjustment_text(estimate, names)});
  std::vector<std::size_t> width(4, 0);
  for (const auto& line : lines)
    for (std::size_t c = 0; c < width.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string out;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    out += ' ';
    for (std::size_t c = 0; c < width.size(); ++c) out += ' ' + padded(lines[k][c], width[c]) + ' ';
    out += ' ' + lines[k][4] + '\n';
    if (k > 0 && !effect.estimates[k - 1].note.empty())
      out += fmt::format("      ({})\n", effect.estimates[k - 1].note);
  }
  return out;
}

bool speaks_against(const NegativeControl& control, std::size_t tests) {
  return control.p * static_cast<double>(tests) < 0.05;
}

std::string controls_text(const TotalEffect& effect, const std::vector<std::string>& names) {
  const std::size_t tests = effect.negative_controls.size();
  if (tests == 0) return "";
  std::string list;
  std::size_t against = 0;
  for (const NegativeControl& control : effect.negative_controls)
    if (speaks_against(control, tests)) {
      ++against;
      list += fmt::format("  {} on {}: {}, given {}\n", names[static_cast<std::size_t>(control.cause)],
                          names[static_cast<std::size_t>(control.outcome)],
                          interval_text(control.size, control.low, control.high),
                          set_text(control.adjustment, names));
    }
  std::string out = fmt::format("\nNegative controls: {} effect{} that {} to be zero if the graph is right, ",
                                tests, tests == 1 ? "" : "s", tests == 1 ? "has" : "have");
  if (against == 0) return out + "and none of them is seen.\n";
  return out + fmt::format(
                   "but {} {}: the graph may be wrong, a\ncommon cause may be missing, or lines may not be "
                   "straight.\n{}",
                   against, against == 1 ? "is not" : "are not", list);
}

// What can be adjusted for, and other ways to the effect.
std::string sets_text(const TotalEffect& effect, const std::vector<std::string>& names) {
  std::string out;
  const bool adjusted = effect.identification == Identification::kAdjustment;
  const bool has_sets = !effect.minimal_sets.empty();
  if (adjusted && effect.parents_measured)
    out += fmt::format("  parents of {}: {}\n", names[static_cast<std::size_t>(effect.cause)],
                       set_text(effect.parents, names));
  if (adjusted && has_sets) {
    out += fmt::format("  {}: {}\n", effect.is_optimal ? "optimal set" : "a set that suffices",
                       set_text(effect.optimal, names));
    std::string list;
    for (const auto& set : effect.minimal_sets)
      list += (list.empty() ? "{" : ", {") + (set.empty() ? "" : set_text(set, names)) + "}";
    out += fmt::format("  minimal sets (all of up to {} variables, at most 20): {}\n", effect.searched_size,
                       list);
  }
  if (!effect.front_door.empty())
    out += fmt::format("  front door: {}\n", set_text(effect.front_door, names));
  if (!effect.instruments.empty()) {
    std::string list;
    for (const Instrument& instrument : effect.instruments)
      list += fmt::format("{}{}{}", list.empty() ? "" : "; ",
                          names[static_cast<std::size_t>(instrument.variable)],
                          instrument.given.empty() ? "" : " given " + set_text(instrument.given, names));
    out += fmt::format("  instruments: {}\n", list);
  }
  return out;
}

}  // namespace

std::string format_total_effect(const TotalEffect& effect, const std::vector<std::string>& names) {
  const std::string &x = names[static_cast<std::size_t>(effect.cause)],
                    &y = names[static_cast<std::size_t>(effect.outcome)];
  std::string out = fmt::format("Total effect of {} on {}: ", x, y);
  switch (effect.identification) {
    case Identification::kNone:
      out += fmt::format("not identified.\n{}.\n", effect.reason);
      break;
    case Identification::kZero:
      out += fmt::format("none by the graph.\n{}.\n", effect.reason);
      break;
    case Identification::kBounds:
      out += fmt::format("between bounds.\n{}.\n", effect.reason);
      if (!std::isnan(effect.low))
        out += fmt::format("Anything from {:.4g} to {:.4g}, errors of the estimates included.\n", effect.low,
                           effect.high);
      break;
    case Identification::kAdjustment:
    case Identification::kFrontDoor:
    case Identification::kInstrument:
      out += fmt::format("identified.\n{}.\n", effect.reason) + sets_text(effect, names);
  }
  if (!effect.not_measured.empty())
    out += fmt::format("  not measured: {}\n", set_text(effect.not_measured, names));
  if (!effect.estimates.empty()) {
    out += fmt::format(
        "\nChange of {} (of two values: of the probability of the larger) per unit of {} (of two "
        "values: from\nthe smaller to the larger):\n\n",
        y, x);
    out += estimates_text(effect, names);
  }
  if (effect.graphs > 0)
    out +=
        fmt::format("\nOver {} graphs drawn from the probabilities: {}; {} acts on {} in {:.0f} % of them.\n",
                    effect.graphs, interval_text(effect.graphs_mean, effect.graphs_low, effect.graphs_high),
                    x, y, 100 * effect.graphs_share);
  if (effect.bootstrap > 0)
    out += fmt::format("\nOver {} tables of rows drawn anew{}: 90 % lie in [{:.4g}, {:.4g}].\n",
                       effect.bootstrap, effect.graphs > 0 ? ", each with another of these graphs" : "",
                       effect.bootstrap_low, effect.bootstrap_high);
  return out + controls_text(effect, names);
}

std::string format_total_effect_json(const TotalEffect& effect, const std::vector<std::string>& names) {
  Json json;
  json["cause"] = names[static_cast<std::size_t>(effect.cause)];
  json["outcome"] = names[static_cast<std::size_t>(effect.outcome)];
  json["identification"] = identification_name(effect.identification);
  json["reason"] = effect.reason;
  json["parents"] = effect.parents_measured ? Json(named(effect.parents, names)) : Json();
  json["optimal"] = named(effect.optimal, names);
  json["is_optimal"] = effect.is_optimal;
  json["not_measured"] = named(effect.not_measured, names);
  json["minimal_sets"] = Json::array();
  for (const auto& set : effect.minimal_sets) json["minimal_sets"].push_back(named(set, names));
  json["searched_size"] = effect.searched_size;
  json["front_door"] = named(effect.front_door, names);
  json["instruments"] = Json::array();
  for (const Instrument& instrument : effect.instruments)
    json["instruments"].push_back({{"variable", names[static_cast<std::size_t>(instrument.variable)]},
                                   {"given", named(instrument.given, names)}});
  json["estimates"] = Json::array();
  for (const EffectEstimate& estimate : effect.estimates)
    json["estimates"].push_back({{"estimator", estimate.estimator},
                                 {"set", estimate.set},
                                 {"adjustment", named(estimate.adjustment, names)},
                                 {"rows", estimate.rows},
                                 {"size", number_or_null(estimate.size)},
                                 {"low", number_or_null(estimate.low)},
                                 {"high", number_or_null(estimate.high)},
                                 {"standardized", number_or_null(estimate.standardized)},
                                 {"note", estimate.note}});
  json["low"] = number_or_null(effect.low);
  json["high"] = number_or_null(effect.high);
  if (effect.graphs > 0)
    json["graphs"] = {{"count", effect.graphs},
                      {"share", number_or_null(effect.graphs_share)},
                      {"mean", number_or_null(effect.graphs_mean)},
                      {"low", number_or_null(effect.graphs_low)},
                      {"high", number_or_null(effect.graphs_high)}};
  if (effect.bootstrap > 0)
    json["bootstrap"] = {{"count", effect.bootstrap},
                         {"low", number_or_null(effect.bootstrap_low)},
                         {"high", number_or_null(effect.bootstrap_high)}};
  json["negative_controls"] = Json::array();
  for (const NegativeControl& control : effect.negative_controls)
    json["negative_controls"].push_back(
        {{"cause", names[static_cast<std::size_t>(control.cause)]},
         {"outcome", names[static_cast<std::size_t>(control.outcome)]},
         {"adjustment", named(control.adjustment, names)},
         {"size", number_or_null(control.size)},
         {"low", number_or_null(control.low)},
         {"high", number_or_null(control.high)},
         {"p", number_or_null(control.p)},
         {"against", speaks_against(control, effect.negative_controls.size())}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace causcale
