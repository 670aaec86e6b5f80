// Random functions of several numbers, each of which matters.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/name_table.h"
#include "base/random.h"

namespace causcale {

enum class FunctionKind {
  kLinear,
  kTree,         // decision trees: every leaf its own value
  kSteps,        // sums of step functions
  kProduct,      // products of up to three
  kInteraction,  // products of pairs only: none of them matters on the average alone
  kPeriodic,
  kSaturating,
  kPolynomial,
  kNetwork,   // one to three random layers
  kExtremes,  // the largest or smallest
};

inline constexpr NameTable<FunctionKind, 10> kFunctionNames{{
    {FunctionKind::kLinear, "linear"},
    {FunctionKind::kTree, "tree"},
    {FunctionKind::kSteps, "steps"},
    {FunctionKind::kProduct, "product"},
    {FunctionKind::kInteraction, "interaction"},
    {FunctionKind::kPeriodic, "periodic"},
    {FunctionKind::kSaturating, "saturating"},
    {FunctionKind::kPolynomial, "polynomial"},
    {FunctionKind::kNetwork, "network"},
    {FunctionKind::kExtremes, "extremes"},
}};

// Of inputs that are about standardised.
using ParentFunction = std::function<double(std::span<const double> inputs)>;
ParentFunction draw_parent_function(FunctionKind kind, int inputs, RandomStream& random);

}  // namespace causcale
