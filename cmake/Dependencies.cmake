# Everything found here comes from Debian packages (tools/setup lists them) or, for CUDA, from a PyTorch build.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
# A PyTorch build brings its own fmt headers, of another version than the system's library.
if(CAUSCALE_CUDA)
  set(CAUSCALE_FMT fmt::fmt-header-only)
else()
  set(CAUSCALE_FMT fmt::fmt)
endif()
find_package(Eigen3 REQUIRED NO_MODULE)

# Header-only dependencies may also come from CAUSCALE_EXTRA_INCLUDE, for machines without the packages.
add_library(causcale_headers INTERFACE)
if(CAUSCALE_EXTRA_INCLUDE)
  target_include_directories(causcale_headers SYSTEM INTERFACE ${CAUSCALE_EXTRA_INCLUDE})
endif()
foreach(header Random123/philox.h CLI/CLI.hpp nlohmann/json.hpp fast_float/fast_float.h)
  string(MAKE_C_IDENTIFIER "HAVE_${header}" variable)
  find_path(${variable} ${header} HINTS ${CAUSCALE_EXTRA_INCLUDE})
  if(NOT ${variable})
    message(FATAL_ERROR "Header ${header} not found: run tools/setup or set CAUSCALE_EXTRA_INCLUDE")
  endif()
endforeach()

# Optional formats: without its library a reader or writer is replaced by one that says so.
find_package(HDF5 COMPONENTS C)
find_package(ZLIB)
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(LIBZIP IMPORTED_TARGET libzip)
  pkg_check_modules(CAIRO IMPORTED_TARGET cairo)
endif()

# LAPACK through OpenBLAS where present; Eigen's own routines serve otherwise.
find_path(LAPACKE_INCLUDE lapacke.h)
find_library(LAPACKE_LIBRARY lapacke)
find_library(OPENBLAS_LIBRARY openblas)

if(CAUSCALE_WITH_TORCH)
  if(CAUSCALE_CUDA)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90a)
    endif()
    set(TORCH_CUDA_ARCH_LIST "9.0a")  # wgmma needs the "a"; libtorch ignores CMAKE_CUDA_ARCHITECTURES
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
  endif()
  find_package(Torch REQUIRED)

  # Training with several CPU processes: libtorch's class for Gloo, whose header needs that of the library. Debian
  # packages Gloo beside its libtorch; PyTorch's builds keep theirs to themselves, and another version would not fit.
  # GPUs use NCCL, through functions of libtorch that need no header of it.
  if(NOT CAUSCALE_CUDA)
    find_path(GLOO_INCLUDE gloo/rendezvous/store.h)
    find_library(GLOO_LIBRARY gloo)
  endif()
endif()
