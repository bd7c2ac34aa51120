# What makes a mistake in the code, or a file in the wrong directory, harder to use against whoever runs the program.
# scripts/check-hardening reads all of it back from the built files.
option(SLIDEMESH_HARDEN "Stack protector, checked libc calls, position independence, read-only relocations" ON)

# CMake ends a build tree's RUNPATH with a colon, to leave room for the path that it writes at installation. The loader
# reads the empty entry behind the colon as the current directory, and loads libraries from there. With the path of the
# installation in the build tree too, nothing is rewritten and there is no colon. Libraries outside the system's
# directories (an MPI of one's own) are found by their full paths.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(SLIDEMESH_HARDEN)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_compile_options(slidemesh_flags INTERFACE -fstack-protector-strong)
  target_link_options(slidemesh_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  # Checked calls need optimization, and hide from sanitizers what these look for.
  if(NOT SLIDEMESH_SANITIZE)
    set(level 2)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
      set(level 3)
    endif()
    target_compile_options(slidemesh_flags
                           INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=${level}>)
  endif()
endif()
