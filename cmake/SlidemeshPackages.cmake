# Debian packages by `cpack` (scripts/make-packages): slidemesh, the program with its manual pages and completions,
# libslidemesh-dev, the static library with its headers and CMake package, and python3-slidemesh.

# OpenSSL's macros put __FILE__ into the object, and with it the directory of the build: two trees, two packages.
if(TARGET slidemesh_network_peers)
  set_property(TARGET slidemesh_network_peers APPEND PROPERTY COMPILE_DEFINITIONS OPENSSL_NO_FILENAMES)
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slidemesh)
set(CPACK_PACKAGE_VENDOR "The slidemesh authors")
set(CPACK_PACKAGE_CONTACT "The slidemesh authors <slidemesh@users.noreply.github.com>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
if(TARGET slidemesh_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
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
# What is opened late (base/late_library.h) is not among the linked libraries. Sets that are polytopes need Clp; a run
# over MPI or from a database what is recommended.
set(late_depends coinor-libclp1)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ${late_depends})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "openmpi-bin, libpq5")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "Several parties, each with private rows of data, train one model with hard
constraints on its parameters, talking only to their neighbours on a network.
The program counts what each run cost and certifies how good the answer is.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libslidemesh-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# A static library is linked with these; then what find_package(slidemesh) looks for.
set(development_depends "libeigen3-dev, libsodium-dev, ${late_depends}")
foreach(pair IN ITEMS MPI:libopenmpi-dev OpenSSL:libssl-dev ZLIB:zlib1g-dev BZip2:libbz2-dev LibLZMA:liblzma-dev zstd:libzstd-dev
                      PostgreSQL:libpq-dev SQLite3:libsqlite3-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 sought)
  list(GET pair 1 package)
  if(SLIDEMESH_PACKAGE_DEPENDENCIES MATCHES "find_dependency\\(${sought}[ )]")
    string(APPEND development_depends ", ${package}")
  endif()
endforeach()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${development_depends})
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "The static library for C++20 with its headers and the CMake package
slidemesh::slidemesh: methods, sets, losses, graphs, networks, data sources.")

if(TARGET slidemesh_python)
  # An extension module is made for one minor version of the interpreter.
  math(EXPR next_minor "${SLIDEMESH_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-slidemesh)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${late_depends}, python3 (>= 3.${SLIDEMESH_PYTHON_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-sklearn)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-networkx, python3-matplotlib, python3-tqdm")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION
      "Estimators in the manner of scikit-learn, functions of one's own over a
network of nodes, and the configs of the program, for Python.")
endif()
include(CPack)
