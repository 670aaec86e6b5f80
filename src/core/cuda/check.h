// Turns failed CUDA and cuBLAS calls into exceptions that say which step failed.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "causcale/error.h"

namespace causcale::cuda {

inline void check(cudaError_t status, const char* step) {
  if (status == cudaSuccess) return;
  throw Error(std::string("CUDA: ") + step + ": " + cudaGetErrorString(status) + " (" +
              cudaGetErrorName(status) + ")");
}

inline void check(cublasStatus_t status, const char* step) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(std::string("cuBLAS: ") + step + ": " + cublasGetStatusString(status));
}

// To be called right after a kernel launch.
inline void check_launch(const char* kernel) {
  check(cudaGetLastError(), kernel);
}

inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return count;
}

template <class Kernel>
void allow_shared_memory(Kernel* kernel, std::size_t bytes) {
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "cudaFuncSetAttribute");
}

}  // namespace causcale::cuda
