# Three kinds of symbols, told apart by versions as glibc does:
#   CAUSCALE_<major>            the public API, one line each in the list (include/causcale/export.h marks it)
#   CAUSCALE_PRIVATE_<version>  other functions of ours: the program, the Python package, libcauscale_train and the
#                               tests share them with this library. A file of another release does not load.
#   hidden                      everything that was compiled in from other projects: a program may have its own fmt
function(causcale_symbol_versions target list)
  if(APPLE)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} symbols REGEX "^[^#]")
  set(public "")
  foreach(symbol ${symbols})
    string(APPEND public "    ${symbol};\n")
  endforeach()
  # Functions, tables, type information, variables in functions, their guards, adjusters of virtual functions.
  set(own "")
  foreach(prefix _ZN _ZNK _ZTVN _ZTIN _ZTSN _ZTTN _ZZN _ZZNK _ZGVZN _ZGVZNK _ZGVN _ZThn*_N _ZThn*_NK _ZTv0_n*_N)
    string(APPEND own "    ${prefix}8causcale*;\n")
  endforeach()
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "CAUSCALE_${PROJECT_VERSION_MAJOR} {\n  global:\n${public}};\n
CAUSCALE_PRIVATE_${PROJECT_VERSION} {\n  global:\n${own}  local:\n    *;\n};\n" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
endfunction()
