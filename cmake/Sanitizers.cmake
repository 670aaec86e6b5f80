# Sanitizers watch the library; tests and command line, which only call it, are compiled without their checks,
# because those take most of such a build's time. (Race detection has to see both sides of every access.)
set(CAUSCALE_SANITIZED OFF)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(CAUSCALE_SANITIZED ON)
endif()
if(NOT CAUSCALE_SANITIZE)
  return()
endif()
set(CAUSCALE_SANITIZED ON)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
# A template's instance in the library must not be replaced by the unchecked one of the program.
add_link_options(-fsanitize=${CAUSCALE_SANITIZE} -Wl,-Bsymbolic-functions)
if(CAUSCALE_SANITIZE MATCHES "thread")
  add_compile_options(-fsanitize=${CAUSCALE_SANITIZE})
else()
  # A null pointer ends the program anyway. Alignment matters where memory is read through pointers of our own.
  set(CAUSCALE_SANITIZE_OPTIONS -fsanitize=${CAUSCALE_SANITIZE} -fno-sanitize-recover=all -fno-sanitize=null,vptr)
  set(CAUSCALE_SANITIZE_ALIGNED base core)
  # Eigen gets memory otherwise where it sees AddressSanitizer; what the library gets, a test may give back.
  add_compile_definitions(EIGEN_MALLOC_ALREADY_ALIGNED=0)
endif()
