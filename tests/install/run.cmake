file(REMOVE_RECURSE ${WORK})
set(steps
    "${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix"
    "${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix"
    "${CMAKE_COMMAND} --build ${WORK}/build"
    "${WORK}/build/consumer"
    "${WORK}/prefix/bin/slidemesh --version"
    "${SCRIPTS}/check-hardening ${WORK}/prefix")
foreach(step IN LISTS steps)
  separate_arguments(command UNIX_COMMAND "${step}")
  execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${step}\nended with ${result}:\n${output}")
  endif()
endforeach()
