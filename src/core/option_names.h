// The words for the choices of discover, in every place where they are written: command line, Python, results
// and the metadata of weight files.
#pragma once

#include "base/name_table.h"
#include "causcale/discover.h"

namespace causcale {

inline constexpr NameTable<Device, 3> kDeviceNames{{
    {Device::kAuto, "auto"},
    {Device::kCpu, "cpu"},
    {Device::kCuda, "cuda"},
}};

inline constexpr NameTable<Precision, 3> kPrecisionNames{{
    {Precision::kAuto, "auto"},
    {Precision::kFloat32, "fp32"},
    {Precision::kBfloat16, "bf16"},
}};

inline constexpr NameTable<PriorUnits, 3> kPriorUnitNames{{
    {PriorUnits::kAuto, "auto"},
    {PriorUnits::kRaw, "raw"},
    {PriorUnits::kStandardized, "standardized"},
}};

inline constexpr NameTable<ValueTransform, 3> kTransformNames{{
    {ValueTransform::kAuto, "auto"},
    {ValueTransform::kNone, "none"},
    {ValueTransform::kLog1p, "log1p"},
}};

inline constexpr NameTable<AcyclicRule, 2> kAcyclicRuleNames{{
    {AcyclicRule::kGreedy, "greedy"},
    {AcyclicRule::kOptimal, "optimal"},
}};

inline constexpr NameTable<StackingRule, 2> kStackingNames{{
    {StackingRule::kAuto, "auto"},
    {StackingRule::kOff, "off"},
}};

inline constexpr NameTable<EvidenceRule, 2> kEvidenceNames{{
    {EvidenceRule::kStrike, "on"},
    {EvidenceRule::kOff, "off"},
}};

}  // namespace causcale
