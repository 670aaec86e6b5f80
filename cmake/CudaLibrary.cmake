# libcauscale_cuda: kernels and network for GPUs (src/core/cuda). libcauscale opens it when a GPU is asked for;
# libcauscale_train uses its kernels.
set(cuda_folder ${CMAKE_CURRENT_SOURCE_DIR}/core/cuda)
file(GLOB cuda_sources CONFIGURE_DEPENDS ${cuda_folder}/*_cuda.cpp)
file(GLOB cuda_kernels CONFIGURE_DEPENDS ${cuda_folder}/*_cuda.cu)
# The bf16 kernels are written in the instructions of compute capability 9.0 and take long to compile.
set(hopper_kernels ${cuda_folder}/projection_cuda.cu ${cuda_folder}/feed_forward_cuda.cu
  ${cuda_folder}/message_cuda.cu)
list(REMOVE_ITEM cuda_kernels ${hopper_kernels})

# Everything else also for the GPUs before and after, which compute in fp32; later ones translate what is kept of 8.0.
set(CAUSCALE_CUDA_ARCHITECTURES 80 86-real 89-real 90a-real 120-real CACHE STRING
  "Compute capabilities for which the fp32 kernels are compiled")
add_library(causcale_cuda_hopper OBJECT ${hopper_kernels})
set_target_properties(causcale_cuda_hopper PROPERTIES CUDA_ARCHITECTURES 90a-real)
add_library(causcale_cuda_kernels OBJECT ${cuda_kernels})
set_target_properties(causcale_cuda_kernels PROPERTIES CUDA_ARCHITECTURES "${CAUSCALE_CUDA_ARCHITECTURES}")
foreach(target causcale_cuda_hopper causcale_cuda_kernels)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()

add_library(causcale_cuda SHARED ${cuda_sources}
  $<TARGET_OBJECTS:causcale_cuda_hopper> $<TARGET_OBJECTS:causcale_cuda_kernels>)
set_target_properties(causcale_cuda PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
# libtorch brings the shared run-time library of CUDA, and a process needs but one.
set(cuda_runtime CUDA::cudart_static)
if(CAUSCALE_WITH_TORCH)
  set(cuda_runtime CUDA::cudart)
endif()
target_link_libraries(causcale_cuda PRIVATE causcale causcale_flags ${cuda_runtime} CUDA::cublas ${CMAKE_DL_LIBS})
target_link_options(causcale_cuda PRIVATE LINKER:--exclude-libs,ALL LINKER:-Bsymbolic-functions)
