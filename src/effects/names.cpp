#include "base/name_table.h"
#include "causcale/effects.h"

namespace causcale {
namespace {

constexpr NameTable<EffectKind, 3> kEffectKindNames{{
    {EffectKind::kStandardizedCoefficient, "standardized_coefficient"},
    {EffectKind::kRiskDifference, "risk_difference"},
    {EffectKind::kCorrelationRatio, "correlation_ratio"},
}};
constexpr NameTable<Identification, 6> kIdentificationNames{{
    {Identification::kAdjustment, "adjustment"},
    {Identification::kZero, "zero"},
    {Identification::kBounds, "bounds"},
    {Identification::kNone, "none"},
    {Identification::kFrontDoor, "front_door"},
    {Identification::kInstrument, "instrument"},
}};

}  // namespace

std::string effect_kind_name(EffectKind kind) {
  return name_of(kEffectKindNames, kind);
}

EffectKind effect_kind_named(const std::string& name) {
  if (const auto kind = find_choice(kEffectKindNames, name)) return *kind;
  throw InputError(
      fmt::format("'{}' is no kind of effect; accepted: {}", name, list_names(kEffectKindNames)));
}

std::string identification_name(Identification identification) {
  return name_of(kIdentificationNames, identification);
}

}  // namespace causcale
