// Precision matrices by cuBLAS and cuSOLVER in double precision. src/prior holds the definition and the
// reference.
#pragma once

#include <cstdint>

#include "causcale/matrix.h"
#include "core/cuda/queue.h"

namespace causcale::cuda {

// Whether cuSOLVER is installed; it is loaded when it is first asked for.
bool finds_solver();

// Of values [m, n] that centred_values() made; with the method that precision.h chooses by the number of
// variables.
Matrix<float> precision_of_centred(const Matrix<double>& centred, const Queue& queue);

// Device memory that it takes.
std::int64_t precision_bytes(std::int64_t m, std::int64_t n);

}  // namespace causcale::cuda
