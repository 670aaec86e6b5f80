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
add_custom_command(OUTPUT ${extras}/causcale.bash ${extras}/_causcale ${extras}/causcale.fish ${extras}/${manual}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}
  COMMAND causcale_cli completions bash > ${extras}/causcale.bash
  COMMAND causcale_cli completions zsh > ${extras}/_causcale
  COMMAND causcale_cli completions fish > ${extras}/causcale.fish
  COMMAND causcale_cli manpage > ${extras}/causcale.1
  COMMAND ${compress}
  DEPENDS causcale_cli COMMENT "Completions and manual page")
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
comes out, with a probability for every edge. With simulators, trainer, metrics, competing methods, a C++ library and
a Python package.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The libraries and their versions, as dpkg-shlibdeps finds them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcairo2, python3-numpy, python3-pandas, python3-networkx")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
