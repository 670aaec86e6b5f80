// The functions of cuSOLVER that priors need. The library has hundreds of megabytes with what it loads, so it
// is opened when a prior is first made on the GPU.
#pragma once

#include <cusolverDn.h>

namespace causcale::cuda {

struct Solver {
  decltype(&cusolverDnCreate) create = nullptr;
  decltype(&cusolverDnDestroy) destroy = nullptr;
  decltype(&cusolverDnSetStream) set_stream = nullptr;
  decltype(&cusolverDnDpotrf_bufferSize) potrf_size = nullptr;
  decltype(&cusolverDnDpotrf) potrf = nullptr;
  decltype(&cusolverDnDpotri_bufferSize) potri_size = nullptr;
  decltype(&cusolverDnDpotri) potri = nullptr;
  decltype(&cusolverDnDsyevd_bufferSize) syevd_size = nullptr;
  decltype(&cusolverDnDsyevd) syevd = nullptr;
};

const Solver* find_solver();  // null where it is not installed

void check(cusolverStatus_t status, const char* step);

}  // namespace causcale::cuda
