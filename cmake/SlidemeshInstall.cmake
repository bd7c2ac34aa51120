# The package that other projects find with find_package(slidemesh).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/slidemesh)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/slidemesh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT slidemesh-targets NAMESPACE slidemesh:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/slidemesh-config.cmake.in
                              ${PROJECT_BINARY_DIR}/slidemesh-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/slidemesh-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/slidemesh-config.cmake ${PROJECT_BINARY_DIR}/slidemesh-config-version.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
