// The only file that includes libtorch's CUDA headers.
#include "learn/autograd/cuda/context.h"

#include <ATen/cuda/CUDAContext.h>

#include "core/cuda/check.h"

namespace causcale::cuda {

Context current_context() {
  // Makes the device's context current in this thread: libtorch's backward threads may not have used it yet,
  // and its cuBLAS pool warns about that.
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaSetDevice(device), "cudaSetDevice");
  return {at::cuda::getCurrentCUDAStream().stream(), at::cuda::getCurrentCUDABlasHandle()};
}

bool has_kernels(const at::Tensor& activations) {
  const at::ScalarType type = activations.scalar_type();
  if (!activations.is_cuda() || (type != at::kBFloat16 && type != at::kFloat)) return false;
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, activations.get_device()),
        "cudaDeviceGetAttribute");
  return major == 9;
}

Storage storage_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat ? Storage::kFloat : Storage::kBf16;
}

at::Tensor packed_weights(autograd::PackedWeights* cache, const at::Tensor& first, const at::Tensor& second,
                          cudaStream_t stream, const std::function<at::Tensor()>& pack) {
  if (cache == nullptr) return pack();
  return cache->get(first, second, [&] {
    at::Tensor packed = pack();
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return packed;
  });
}

}  // namespace causcale::cuda
