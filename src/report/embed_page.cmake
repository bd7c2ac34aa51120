# cmake -DOUTPUT=page.cpp -DPAGE_DIR=page -DCHART_LIBRARY=chart.min.js -DSCRIPTS="a.js|b.js" -P embed_page.cmake
#
# Writes the page's parts into one C++ file, each with the SHA-256 by which the page's own
# Content-Security-Policy knows it: whatever else gets into the page, the browser will not run it.

function(base64_of_hex hex result)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  # 32 bytes: ten groups of three, and one of two that is filled up with a zero byte.
  set(text "")
  set(padded "${hex}00")
  foreach(group RANGE 0 10)
    math(EXPR begin "${group} * 6")
    string(SUBSTRING "${padded}" ${begin} 6 digits)
    math(EXPR bits "0x${digits}")
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR at "(${bits} >> ${shift}) & 63")
      string(SUBSTRING ${alphabet} ${at} 1 character)
      string(APPEND text "${character}")
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

# A string literal may be no longer than the standard's 65536 characters; longer text is several literals
# side by side, cut at any byte.
function(append_literal name content)
  set(source "const std::string_view ${name} =\n")
  string(LENGTH "${content}" length)
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${content}" ${begin} 15000 piece)
    string(APPEND source "    R\"page~(${piece})page~\"\n")
    math(EXPR begin "${begin} + 15000")
  endwhile()
  string(APPEND source "    \"\";\n\n")
  file(APPEND "${OUTPUT}.new" "${source}")
endfunction()

function(append_with_hash name content)
  if(content MATCHES "</(script|style)")
    message(FATAL_ERROR "${name}: expected no closing script or style tag in the page's parts, got one")
  endif()
  append_literal(${name} "${content}")
  string(SHA256 hex "${content}")
  base64_of_hex(${hex} hash)
  file(APPEND "${OUTPUT}.new" "const std::string_view ${name}Hash = \"sha256-${hash}\";\n\n")
endfunction()

file(WRITE "${OUTPUT}.new" "// Made by embed_page.cmake; edit the files in src/report/page instead.\n#include \"page.h\"\n\nnamespace slidemesh::page {\n\n")

file(READ "${PAGE_DIR}/page.html" template)
append_literal(kTemplate "${template}")
file(READ "${PAGE_DIR}/page.css" style)
append_with_hash(kStyle "${style}")
file(READ "${CHART_LIBRARY}" chart)
append_with_hash(kChartLibrary "${chart}")

string(REPLACE "|" ";" scripts "${SCRIPTS}")
set(script "\"use strict\";\n(() => {\n")
foreach(part IN LISTS scripts)
  file(READ "${PAGE_DIR}/${part}" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
append_with_hash(kScript "${script}")

file(APPEND "${OUTPUT}.new" "}  // namespace slidemesh::page\n")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
