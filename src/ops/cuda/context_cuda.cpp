// The only file that includes libtorch's CUDA headers.
#include "ops/cuda/context.h"

#include <ATen/cuda/CUDAContext.h>

#include "ops/cuda/check.h"

namespace causcale::cuda {

Context current_context() {
  // Makes the device's context current in this thread: libtorch's backward threads may not have used it yet,
  // and its cuBLAS pool warns about that.
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
  return {at::cuda::getCurrentCUDAStream().stream(), at::cuda::getCurrentCUDABlasHandle()};
}

bool device_has_kernels(const at::Tensor& tensor) {
  if (!tensor.is_cuda()) return false;
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, tensor.get_device()),
        "cudaDeviceGetAttribute");
  return major == 9;
}

}  // namespace causcale::cuda
