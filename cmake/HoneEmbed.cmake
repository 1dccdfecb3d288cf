# SPDX-License-Identifier: Apache-2.0
# hone_embed_text(FILE SYMBOL OUT_VAR): turns FILE into a C source that
# defines `const char SYMBOL[]` with its bytes, rebuilt when FILE changes.
# OUT_VAR gets the path of the C file. The file is also the script that the
# build runs.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x..,){12})" "\\1\n" bytes "${bytes}")
  file(WRITE "${OUTPUT}"
    "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0};\n")
  return()
endif()

set(HONE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(hone_embed_text input symbol out_var)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${input}" "-DOUTPUT=${output}"
      "-DSYMBOL=${symbol}" -P "${HONE_EMBED_SCRIPT}"
    DEPENDS "${input}" "${HONE_EMBED_SCRIPT}" VERBATIM)
  set(${out_var} "${output}" PARENT_SCOPE)
endfunction()
