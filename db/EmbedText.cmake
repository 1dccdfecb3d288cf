# SPDX-License-Identifier: Apache-2.0
# cmake -D INPUT=file -D OUTPUT=file.c -D NAME=symbol -P EmbedText.cmake
# Turns a text file into a C array of its bytes and a NUL. An array and not a
# string literal: compilers need to take only 4095 characters of those.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
get_filename_component(input_name "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "/* Made from ${input_name}; do not edit. */
extern const char ${NAME}[];
const char ${NAME}[] = {
${bytes}
0};
")
