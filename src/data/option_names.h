// The words for the choices of the readers, in every place where they are written.
#pragma once

#include "base/name_table.h"
#include "data/reader.h"

namespace causcale {

inline constexpr NameTable<MissingPolicy, 4> kMissingNames{{
    {MissingPolicy::kError, "error"},
    {MissingPolicy::kDrop, "drop"},
    {MissingPolicy::kMean, "mean"},
    {MissingPolicy::kKeep, "keep"},
}};

inline constexpr NameTable<RowNames, 3> kRowNameNames{{
    {RowNames::kAuto, "auto"},
    {RowNames::kYes, "yes"},
    {RowNames::kNo, "no"},
}};

// Whether dates are taken as numbers.
inline constexpr NameTable<bool, 2> kDateNames{{
    {false, "aside"},
    {true, "number"},
}};

inline constexpr NameTable<InterventionKind, 5> kInterventionKindNames{{
    {InterventionKind::kAuto, "auto"},
    {InterventionKind::kMask, "mask"},
    {InterventionKind::kLines, "lines"},
    {InterventionKind::kEnvironments, "environments"},
    {InterventionKind::kRegimeIndex, "regimes"},
}};

inline constexpr NameTable<UnknownTargets, 3> kUnknownTargetNames{{
    {UnknownTargets::kError, "error"},
    {UnknownTargets::kIgnore, "ignore"},
    {UnknownTargets::kDrop, "drop"},
}};

}  // namespace causcale
