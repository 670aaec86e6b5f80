// Backward passes run on compute capability 9.0 alone, which is where training uses these kernels. For other
// GPUs their kernels are compiled empty.
#pragma once

namespace causcale::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
constexpr bool kForTraining = false;
#else
constexpr bool kForTraining = true;
#endif

}  // namespace causcale::cuda
