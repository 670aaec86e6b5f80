# Programs and a Python module that hold the library and what it needs, for systems other than the one that builds
# them: only glibc, 2.28 or later, and its companion libgcc_s are the system's. They are linked from the objects of
# the ordinary build; the target `tarball` and python/make_wheel.py pack them.
#   causcale_portable          the program; opens Cairo where the system has it, as the ordinary one does
#   causcale_static            the program with glibc inside: any Linux, also one without glibc; it opens no Cairo
#   causcale_portable_h5ad     the helper that reads .h5ad, where there is a static HDF5
#   causcale_portable_python   the native module of the wheel (in python/CMakeLists.txt)
set(CAUSCALE_PORTABLE AUTO CACHE STRING "Link the portable program, too: AUTO, ON or OFF")
set_property(CACHE CAUSCALE_PORTABLE PROPERTY STRINGS AUTO ON OFF)
if(NOT CAUSCALE_PORTABLE OR CAUSCALE_SANITIZED OR CAUSCALE_CUDA)
  return()
endif()
find_library(ZLIB_STATIC NAMES libz.a)
if(NOT ZLIB_STATIC OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  if(CAUSCALE_PORTABLE STREQUAL "AUTO")
    return()
  endif()
  message(FATAL_ERROR "CAUSCALE_PORTABLE=ON needs Linux on x86-64 or aarch64, g++ and libz.a (Debian: zlib1g-dev)")
endif()

set(portable_source ${PROJECT_SOURCE_DIR}/src/portable)
set(portable ${CMAKE_BINARY_DIR}/portable)
get_property(folders GLOBAL PROPERTY CAUSCALE_FOLDERS)
set(CAUSCALE_PORTABLE_OBJECTS "")
foreach(folder ${folders})
  list(APPEND CAUSCALE_PORTABLE_OBJECTS $<TARGET_OBJECTS:folder_${folder}>)
endforeach()

# Calls of functions that a newer glibc has in a newer version (src/portable/glibc_symbols.cpp).
file(STRINGS ${portable_source}/older_symbols.def older REGEX "^OLDER")
list(TRANSFORM older REPLACE "OLDER.([a-z0-9_]+),.*" "LINKER:--wrap=\\1")
foreach(name stat lstat fstat stat64 lstat64 fstat64 arc4random pthread_cond_clockwait)
  list(APPEND older LINKER:--wrap=${name})
endforeach()
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${portable_source}/older_symbols.def)

add_library(causcale_portable_link INTERFACE)
target_link_libraries(causcale_portable_link INTERFACE ${CAUSCALE_FMT} ${ZLIB_STATIC})
# Before glibc 2.34 threads and dlopen were in libraries of their own, which have to be loaded there.
target_link_options(causcale_portable_link INTERFACE -static-libstdc++ LINKER:--exclude-libs,ALL LINKER:--gc-sections
  ${older} LINKER:--push-state,--no-as-needed,-l:libpthread.so.0,-l:libdl.so.2,--pop-state LINKER:-s)

function(causcale_portable_program target name folder)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${portable}/${folder}
    LINKER_LANGUAGE CXX)
endfunction()

add_executable(causcale_portable $<TARGET_OBJECTS:causcale_commands> ${CAUSCALE_PORTABLE_OBJECTS}
  ${portable_source}/glibc_symbols.cpp ${portable_source}/program_start.cpp)
target_link_libraries(causcale_portable PRIVATE causcale_portable_link)
target_link_options(causcale_portable PRIVATE -pie LINKER:--wrap=__libc_start_main)
causcale_portable_program(causcale_portable causcale bin)

# libgcc and the C library as archives, too. Debian's libc.a is of the same package as what any program links.
add_executable(causcale_static $<TARGET_OBJECTS:causcale_commands> ${CAUSCALE_PORTABLE_OBJECTS}
  ${portable_source}/static_program.cpp)
target_link_libraries(causcale_static PRIVATE ${CAUSCALE_FMT} ${ZLIB_STATIC})
target_link_options(causcale_static PRIVATE -static-pie LINKER:--gc-sections LINKER:--wrap=dlopen LINKER:-s)
causcale_portable_program(causcale_static causcale-static bin)

find_library(HDF5_STATIC NAMES libhdf5.a PATH_SUFFIXES hdf5/serial)
find_library(SZIP_STATIC NAMES libsz.a)
find_library(AEC_STATIC NAMES libaec.a)
set(CAUSCALE_PORTABLE_TARGETS causcale_portable causcale_static)
if(TARGET causcale_read_h5ad AND HDF5_STATIC AND SZIP_STATIC AND AEC_STATIC)
  get_target_property(sources causcale_read_h5ad SOURCES)
  list(FILTER sources EXCLUDE REGEX "TARGET_OBJECTS")
  list(TRANSFORM sources REPLACE "^base/" "${PROJECT_SOURCE_DIR}/src/base/")
  add_executable(causcale_portable_h5ad ${sources} ${portable_source}/glibc_symbols.cpp
    ${portable_source}/program_start.cpp)
  target_include_directories(causcale_portable_h5ad PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(causcale_portable_h5ad SYSTEM PRIVATE ${HDF5_INCLUDE_DIRS})
  target_compile_options(causcale_portable_h5ad PRIVATE -Wall -Wextra -Wno-restrict)
  target_link_libraries(causcale_portable_h5ad PRIVATE ${HDF5_STATIC} ${SZIP_STATIC} ${AEC_STATIC} causcale_portable_link)
  target_link_options(causcale_portable_h5ad PRIVATE -pie LINKER:--wrap=__libc_start_main)
  causcale_portable_program(causcale_portable_h5ad causcale-read-h5ad lib/causcale)
  list(APPEND CAUSCALE_PORTABLE_TARGETS causcale_portable_h5ad)
endif()
