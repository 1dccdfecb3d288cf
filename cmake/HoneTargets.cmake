# SPDX-License-Identifier: Apache-2.0
# hone_module(): one static library per directory with the project's flags.
# hone_configure_target(): those flags for any other target.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

set(HONE_WARNINGS
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
  -Wimplicit-fallthrough)

# Where two hundred test programs are linked with all debugging information, in
# half of the time. What is released is linked by the system's linker.
include(CheckLinkerFlag)
set(HONE_TEST_LINKER "")
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  check_linker_flag(C -fuse-ld=gold HONE_HAS_GOLD)
  if(HONE_HAS_GOLD)
    set(HONE_TEST_LINKER -fuse-ld=gold)
  endif()
endif()

function(hone_configure_target target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${target} PRIVATE ${HONE_WARNINGS}
    "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE ${HONE_TEST_LINKER})
  endif()
  if(HONE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(HONE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${HONE_SANITIZE}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${HONE_SANITIZE})
  endif()
endfunction()

# hone_computes(source..): what a test's time goes into where it waits for nothing.
# It is optimised in sanitized builds, too; all else is compiled sooner without.
function(hone_computes)
  if(HONE_SANITIZE)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O1)
  endif()
endfunction()

# hone_module(NAME SOURCES file... LINK target...)
# Every .c file of this folder and of the rooms that are named: a new file
# needs no line here.
function(hone_sources out)
  set(patterns "*.c")
  foreach(room ${ARGN})
    list(APPEND patterns "${room}/*.c")
  endforeach()
  file(GLOB found CONFIGURE_DEPENDS ${patterns})
  list(SORT found)
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(hone_module name)
  cmake_parse_arguments(M "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${M_SOURCES})
  hone_configure_target(${name})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ${M_LINK})
endfunction()
