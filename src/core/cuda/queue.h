// A CUDA stream with a cuBLAS handle that works on it and takes its workspace from us, so that a pass can be
// captured as a graph: nothing is allocated while it is handed out.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace causcale::cuda {

// Lets work handed to `later` from now on wait for everything handed to `earlier` so far.
void order_streams(cudaStream_t earlier, cudaStream_t later);

class Queue {
 public:
  Queue();
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_; }
  // Of cuBLAS; device memory that nobody else uses while work of this queue is under way.
  void use_workspace(void* memory, std::int64_t bytes) const;
  void wait() const;  // until all work is done

  // As much as cuBLAS wants for its fastest products.
  static std::int64_t workspace_bytes(int major);

 private:
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
};

// A point in a stream that others can wait for.
class Mark {
 public:
  Mark();
  ~Mark();
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  void set(cudaStream_t stream);
  void wait_in(cudaStream_t stream) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace causcale::cuda
