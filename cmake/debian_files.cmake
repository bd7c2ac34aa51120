# Runs where cpack has staged a package's files. Everything is a function of the sources and SOURCE_DATE_EPOCH.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where that is set
foreach(pair IN ITEMS "program slidemesh" "development libslidemesh-dev" "python python3-slidemesh")
  separate_arguments(pair)
  list(GET pair 0 component)
  list(GET pair 1 package)
  file(GLOB staged LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  if(NOT staged)
    continue()
  endif()
  set(doc ${staged}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  file(READ ${CPACK_SLIDEMESH_SOURCE}/LICENSE license)
  string(REGEX REPLACE "\n" "\n " license "${license}")
  string(REGEX REPLACE "\n +\n" "\n .\n" license "${license}")
  string(STRIP "${license}" license)
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: slidemesh\n\nFiles: *\n"
                              "Copyright: The slidemesh authors\nLicense: MIT\n ${license}\n")
  file(WRITE ${doc}/changelog "slidemesh (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n"
                              " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(GLOB pages ${staged}/usr/share/man/man1/*.1)
  execute_process(COMMAND gzip -9nf ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  if(component STREQUAL "program")
    set(linked ${staged}/usr/bin/slidemesh)
  else()
    file(GLOB linked ${staged}/usr/lib/python3/dist-packages/slidemesh/*.so)
  endif()
  if(linked)
    file(RPATH_REMOVE FILE ${linked}) # MPI's wrapper names a directory that Debian's linker finds anyway
  endif()
  # The licence stands in `copyright`; cpack leaves what the umask gave.
  file(REMOVE_RECURSE ${staged}/usr/share/doc/${CPACK_PACKAGE_NAME}/LICENSE)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${staged} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
