// The GPU that everything here runs on: the first one.
#pragma once

#include <string>

#include "core/cuda_library.h"

namespace causcale::cuda {

inline constexpr int kDevice = 0;

// Which GPU there is and what it can compute, or why none can be used.
CudaDevice find_device();

}  // namespace causcale::cuda
