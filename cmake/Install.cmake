include(CMakePackageConfigHelpers)
install(TARGETS causcale EXPORT causcaleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS causcale_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(causcale_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(TARGET causcale_train)
  install(TARGETS causcale_train LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT train NAMELINK_SKIP)
  set_target_properties(causcale_train PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
if(TARGET causcale_read_h5ad)
  install(TARGETS causcale_read_h5ad RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/causcale)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/causcale DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/causcale/models)
# The page for browsers, where it was built (make page). Its weights are the model's, which are there already.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/causcale/page OPTIONAL
  PATTERN general.safetensors EXCLUDE)
install(CODE "
  set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/causcale/page\")
  if(EXISTS \"\${page}/index.html\")
    file(CREATE_LINK ../models/general.safetensors \"\${page}/general.safetensors\" SYMBOLIC)
  endif()")
install(EXPORT causcaleTargets NAMESPACE causcale:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/causcaleConfig.cmake.in
  ${CMAKE_BINARY_DIR}/causcaleConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/causcaleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/causcaleConfig.cmake ${CMAKE_BINARY_DIR}/causcaleConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
