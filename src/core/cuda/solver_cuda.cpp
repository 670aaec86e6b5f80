#include "core/cuda/solver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "causcale/error.h"

namespace causcale::cuda {
namespace {

const Solver* load() {
  const std::string file = fmt::format("libcusolver.so.{}", CUSOLVER_VER_MAJOR);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Solver solver;
  bool complete = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    complete = complete && function != nullptr;
  };
  find(solver.create, "cusolverDnCreate");
  find(solver.destroy, "cusolverDnDestroy");
  find(solver.set_stream, "cusolverDnSetStream");
  find(solver.potrf_size, "cusolverDnDpotrf_bufferSize");
  find(solver.potrf, "cusolverDnDpotrf");
  find(solver.potri_size, "cusolverDnDpotri_bufferSize");
  find(solver.potri, "cusolverDnDpotri");
  find(solver.syevd_size, "cusolverDnDsyevd_bufferSize");
  find(solver.syevd, "cusolverDnDsyevd");
  return complete ? &solver : nullptr;
}

}  // namespace

const Solver* find_solver() {
  static const Solver* const solver = load();
  return solver;
}

void check(cusolverStatus_t status, const char* step) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw Error(fmt::format("cuSOLVER: {}: status {}", step, static_cast<int>(status)));
}

}  // namespace causcale::cuda
