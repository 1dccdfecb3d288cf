# SPDX-License-Identifier: Apache-2.0
# The libraries hone stands on, all from the distribution. With
# HONE_STATIC_DEPS the archives are taken, so that the program runs on GPU
# machines that have none of them installed.
find_package(Threads REQUIRED)

function(hone_find_dependency target header library)
  if(HONE_STATIC_DEPS)
    find_library(${target}_LIBRARY NAMES lib${library}.a ${library})
  else()
    find_library(${target}_LIBRARY NAMES ${library})
  endif()
  find_path(${target}_INCLUDE_DIR NAMES ${header})
  if(NOT ${target}_LIBRARY OR NOT ${target}_INCLUDE_DIR)
    message(FATAL_ERROR "lib${library} (header ${header}) not found. "
      "On Debian 12, tools/check and tools/quickstart install it.")
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_link_libraries(${target} INTERFACE "${${target}_LIBRARY}")
  target_include_directories(${target} INTERFACE "${${target}_INCLUDE_DIR}")
endfunction()

hone_find_dependency(hone_dep_sqlite sqlite3.h sqlite3)
hone_find_dependency(hone_dep_zstd zstd.h zstd)
hone_find_dependency(hone_dep_jansson jansson.h jansson)
hone_find_dependency(hone_dep_md sha256.h md)
hone_find_dependency(hone_dep_zlib zlib.h z)
target_link_libraries(hone_dep_sqlite INTERFACE Threads::Threads
  ${CMAKE_DL_LIBS} m)
find_path(HONE_XXHASH_INCLUDE_DIR NAMES xxhash.h REQUIRED)
