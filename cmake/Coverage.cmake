# Counters in what users run - library, program, Python module, the helper for .h5ad - and not in the tests: how often
# each line ran is left beside the object files (*.gcda), where tools/coverage finds it.
if(NOT CAUSCALE_COVERAGE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "CAUSCALE_COVERAGE=ON needs g++, whose gcov reads what is counted")
endif()
# The tests run long enough with a library that is optimised a little; they themselves need none of it.
set(CAUSCALE_COVERAGE_OPTIONS --coverage -O1)
add_link_options(--coverage)
