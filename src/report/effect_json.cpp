#include "report/effect_json.h"

#include <cmath>

namespace causcale {
namespace {

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

nlohmann::ordered_json effect_json(const EdgeEffect& effect) {
  nlohmann::ordered_json json = {{"kind", effect_kind_name(effect.kind)},
                                 {"size", number_or_null(effect.size)},
                                 {"low", number_or_null(effect.low)},
                                 {"high", number_or_null(effect.high)}};
  if (!std::isnan(effect.graph_low)) {
    json["graph_low"] = effect.graph_low;
    json["graph_high"] = effect.graph_high;
  }
  json["rows"] = effect.rows;
  json["nonlinear_p"] = number_or_null(effect.nonlinear_p);
  json["shift"] = number_or_null(effect.shift);
  json["shift_low"] = number_or_null(effect.shift_low);
  json["shift_high"] = number_or_null(effect.shift_high);
  return json;
}

}  // namespace causcale
