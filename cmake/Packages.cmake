# What a distribution package holds besides the program: shell completions and the manual page, printed by the
# program itself, and the settings of CPack (`cpack -G DEB` in the build folder, or `make deb`).
set(extras ${CMAKE_BINARY_DIR}/extras)
find_program(GZIP gzip)
set(manual causcale.1)
set(compress ${CMAKE_COMMAND} -E true)
if(GZIP)
  set(manual causcale.1.gz)
  set(compress ${GZIP} -9nf ${extras}/causcale.1)
endif()
set(printer causcale_cli)
if(CMAKE_CROSSCOMPILING AND TARGET causcale_static)
  set(printer causcale_static)  # in an emulator, without libraries to be found there
endif()
add_custom_command(OUTPUT ${extras}/causcale.bash ${extras}/_causcale ${extras}/causcale.fish ${extras}/${manual}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}
  COMMAND ${printer} completions bash > ${extras}/causcale.bash
  COMMAND ${printer} completions zsh > ${extras}/_causcale
  COMMAND ${printer} completions fish > ${extras}/causcale.fish
  COMMAND ${printer} manpage > ${extras}/causcale.1
  COMMAND ${compress}
  DEPENDS ${printer} COMMENT "Completions and manual page")
add_custom_target(causcale_extras ALL DEPENDS ${extras}/causcale.bash ${extras}/${manual})

# Debian's zsh looks for packaged completions in a folder of its own.
set(zsh_folder site-functions)
if(EXISTS /etc/debian_version)
  set(zsh_folder vendor-completions)
endif()
install(FILES ${extras}/causcale.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME causcale)
install(FILES ${extras}/_causcale DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder})
install(FILES ${extras}/causcale.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${extras}/${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples/sachs DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME causcale)
set(CPACK_PACKAGE_CONTACT "The CauScale authors <causcale@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "neural causal discovery: from a table to a causal graph")
set(CPACK_PACKAGE_DESCRIPTION "A table of observations goes in, with interventions if there were any; a causal graph
comes out, with a probability for every edge. With simulators, metrics, competing methods, models, a C++ library and
a Python package.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The package causcale holds everything that needs no libtorch; causcale-train is the library that does.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME causcale)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
if(TARGET causcale_train)
  list(APPEND CPACK_COMPONENTS_ALL train)
  set(CPACK_DEBIAN_TRAIN_PACKAGE_NAME causcale-train)
  set(CPACK_DEBIAN_TRAIN_PACKAGE_DEPENDS "causcale (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_TRAIN_DESCRIPTION "The part that needs libtorch: training, calibration, methods with tensors.")
endif()
if(TARGET causcale_cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_NAME causcale-cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "causcale (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_CUDA_DESCRIPTION "The part that computes on GPUs: needs NVIDIA's driver and cuBLAS.")
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The libraries and their versions, as dpkg-shlibdeps finds them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libcairo2, python3-numpy, python3-pandas, python3-networkx")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "causcale-train (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

# The portable programs as one folder to unpack anywhere: `make tarball`.
if(TARGET causcale_portable)
  set(tarball causcale-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  add_custom_target(tarball
    COMMAND ${PROJECT_SOURCE_DIR}/tools/make_tarball ${CMAKE_BINARY_DIR} ${tarball} VERBATIM)
  add_dependencies(tarball causcale_extras ${CAUSCALE_PORTABLE_TARGETS})
endif()
