# One target per module, so that the compiler enforces who may see whom.
#
#   slidemesh_module(sets LINK slidemesh_core PRIVATE_LINK Clp::Clp)
#
# compiles src/sets/**/*.cpp into the static library slidemesh_sets (installed as slidemesh::sets).
# A module sees the public headers of the modules it links, and no others: each has its own include
# directory in the build tree that holds nothing but its own headers.

set_property(GLOBAL PROPERTY SLIDEMESH_MODULES "")  # their targets, for the one that a user links

add_library(slidemesh_flags INTERFACE)
target_compile_features(slidemesh_flags INTERFACE cxx_std_20)
# Contraction into fused multiply-adds is left to explicit std::fma: what the compiler fuses depends
# on how it vectorizes, and then a sum could depend on an address or a thread.
target_compile_options(slidemesh_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                                 -Wold-style-cast -Woverloaded-virtual -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on std::string (GCC bugs 105651 and 105329).
  target_compile_options(slidemesh_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(SLIDEMESH_ARCH)
  target_compile_options(slidemesh_flags INTERFACE -march=${SLIDEMESH_ARCH})
endif()
if(SLIDEMESH_WERROR)
  target_compile_options(slidemesh_flags INTERFACE -Werror)
endif()
# Threads are over nodes; Eigen's own would only get in their way.
target_compile_definitions(slidemesh_flags INTERFACE EIGEN_DONT_PARALLELIZE)
if(SLIDEMESH_CHECK_ALLOCATIONS)
  target_compile_definitions(slidemesh_flags INTERFACE EIGEN_RUNTIME_NO_MALLOC)
endif()
# The headers of fmt, for fmt::format; what that calls is compiled once, by src/base/fmt.cpp.
target_include_directories(slidemesh_flags SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
if(SLIDEMESH_SANITIZE)
  target_compile_options(slidemesh_flags INTERFACE -fsanitize=${SLIDEMESH_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(slidemesh_flags INTERFACE -fsanitize=${SLIDEMESH_SANITIZE})
endif()

# What nearly every file includes, parsed once for each kind of target: halves the time to build.
option(SLIDEMESH_PCH "Precompile the common headers" ON)
set(SLIDEMESH_COMMON_HEADERS <Eigen/Core> <algorithm> <cmath> <cstdint> <filesystem> <functional> <memory> <optional>
                             <span> <string> <string_view> <vector>)
function(slidemesh_precompile target)
  if(SLIDEMESH_PCH)
    target_precompile_headers(${target} PRIVATE ${SLIDEMESH_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# Files whose headers are long beside themselves (CLI11, pybind11), compiled some at a time: a third of the time to build.
option(SLIDEMESH_UNITY "Compile files of the program and of the Python module together" ON)
function(slidemesh_join_files target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SLIDEMESH_UNITY} UNITY_BUILD_BATCH_SIZE ${count})
endfunction()

function(slidemesh_module name)
  cmake_parse_arguments(arg "" "" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(target slidemesh_${name})

  # A directory of links with this module's public headers alone.
  set(headers ${CMAKE_BINARY_DIR}/module-include/${name})
  file(MAKE_DIRECTORY ${headers}/slidemesh)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/slidemesh/${name} ${headers}/slidemesh/${name} SYMBOLIC)

  add_library(${target} STATIC ${sources})
  add_library(slidemesh::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${headers}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                       PRIVATE ${PROJECT_SOURCE_DIR}/src/${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:slidemesh_flags> ${arg_PRIVATE_LINK})
  if(name STREQUAL "linalg")
    slidemesh_precompile(${target})
  elseif(SLIDEMESH_PCH AND NOT name STREQUAL "base")
    target_precompile_headers(${target} REUSE_FROM slidemesh_linalg)
  endif()
  install(TARGETS ${target} EXPORT slidemesh-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY SLIDEMESH_MODULES slidemesh_${name})
endfunction()

# slidemesh_loader_name(out library): by which name the loader finds a shared library when it is opened late
# (base/late_library.h). Its soname; outside of the system's directories with the directory, as an RPATH would have it.
function(slidemesh_loader_name out library)
  get_filename_component(real ${library} REALPATH)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${real} OUTPUT_VARIABLE headers ERROR_QUIET)
  if(headers MATCHES "SONAME +([^ \n]+)")
    set(name ${CMAKE_MATCH_1})
  else()
    get_filename_component(name ${real} NAME)
  endif()
  get_filename_component(directory ${real} DIRECTORY)
  foreach(system IN LISTS CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    get_filename_component(system ${system} REALPATH)
    if(directory STREQUAL system)
      set(directory "")
    endif()
  endforeach()
  if(directory)
    string(PREPEND name "${directory}/")
  endif()
  set(${out} ${name} PARENT_SCOPE)
endfunction()
