// The types in which activations and weights may be stored; sums are fp32 in either case.
#pragma once

namespace causcale::cuda {

enum class Storage { kFloat, kBf16 };

}  // namespace causcale::cuda
