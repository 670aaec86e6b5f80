# Everything found here comes from Debian packages (tools/setup lists them) or, for CUDA, from a PyTorch build.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
# fmt becomes part of our binaries. Compiled once where its version is known; a PyTorch build brings headers of
# another version than the system's package.
set(CAUSCALE_FMT fmt::fmt-header-only)
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10 AND NOT CAUSCALE_CUDA)
  add_library(causcale_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp)
  target_include_directories(causcale_fmt SYSTEM PUBLIC
    $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  set(CAUSCALE_FMT causcale_fmt)
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

if(CAUSCALE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90a)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()

if(CAUSCALE_WITH_TORCH)
  if(CAUSCALE_CUDA)
    set(TORCH_CUDA_ARCH_LIST "9.0a")  # wgmma needs the "a"; libtorch ignores CMAKE_CUDA_ARCHITECTURES
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
