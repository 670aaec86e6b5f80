include(CMakePackageConfigHelpers)
install(TARGETS causcale EXPORT causcaleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS causcale_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(causcale_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/causcale DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/causcale/models)
install(EXPORT causcaleTargets NAMESPACE causcale:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/causcaleConfig.cmake.in
  ${CMAKE_BINARY_DIR}/causcaleConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/causcaleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/causcaleConfig.cmake ${CMAKE_BINARY_DIR}/causcaleConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/causcale)
