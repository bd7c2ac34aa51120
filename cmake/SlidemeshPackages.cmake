# Debian packages by `cpack` (scripts/make-packages): slidemesh, the program with its manual pages and completions, and
# libslidemesh-dev, the static library with its headers and CMake package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slidemesh)
set(CPACK_PACKAGE_VENDOR "The slidemesh authors")
set(CPACK_PACKAGE_CONTACT "The slidemesh authors <slidemesh@users.noreply.github.com>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# What Debian wants in a package and an installation by hand does not have: a compressed changelog, manual pages likewise.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
set(CPACK_SLIDEMESH_SOURCE ${PROJECT_SOURCE_DIR})

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME slidemesh)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "openmpi-bin, libpq5")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "Several parties, each with private rows of data, train one model with hard
constraints on its parameters, talking only to their neighbours on a network.
The program counts what each run cost and certifies how good the answer is.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libslidemesh-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libeigen3-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "The static library for C++20 with its headers and the CMake package
slidemesh::slidemesh: methods, sets, losses, graphs, networks, data sources.")
include(CPack)
