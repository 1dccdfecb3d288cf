# SPDX-License-Identifier: Apache-2.0
# hone_add_kernels(): templates become tuned kernels as a part of a build. Comes
# with find_package(hone CONFIG COMPONENTS program).
#
#   hone_add_kernels(TARGET mine TEMPLATES a.cu b.cu SHAPES shapes.txt
#     [DEVICES cpu|cuda ..] [ARCHS 80 90a ..] [TUNE BUILD|INSTALL|LATER|NEVER]
#     [BUDGET 60s] [LIMIT 100] [INCLUDES folder ..] [DESTINATION folder]
#     [PACK file] [EMBED])
#
# SHAPES has a problem a line, "OP A,B,..", # begins a comment.
# DEVICES: what to tune for. TUNE BUILD (the default) tunes when `mine` is
#   built; INSTALL when it is installed, on the machine that installs it (not
#   for packages, whose machine is another), of cuda only if there is a GPU;
#   LATER by a program that is installed, see below; NEVER not at all.
# ARCHS: cubins for each shape go to the cache, with no GPU; LIMIT of them for
#   each template, shape and architecture, else all. NVRTC is needed. Tuning
#   takes them from there, on this machine and on that of LATER.
# PACK: what was tuned elsewhere, a file of `hone pack` that comes with the
#   sources: installed as DESTINATION/mine.pack, for where nothing is tuned. A
#   program opens mine.db, and if that is not there (HONE_ERR_NOT_FOUND), this.
# EMBED: what TUNE BUILD found, else PACK, becomes a part of `mine`. It includes
#   hone.h, says HONE_PACK_DECLARE(hone_kernels_mine); and calls
#   hone_kernels_mine_register() before hone_open(NULL), which then answers from
#   these kernels too, behind all files. `mine` links hone::hone or
#   hone::static, and may be a program or a library of any kind.
# The target's property HONE_DATABASE is the database of the build and
# HONE_CACHE the folder of the cubins. With DESTINATION the database is
# installed there as mine.db; needed by TUNE INSTALL and LATER.
#
# TUNE LATER installs the folder DESTINATION/mine.tune with the templates, their
# headers, the cubins and a program `tune`. On the target, where hone is and, of
# cuda, NVRTC of the same version (what a cubin is found by has it),
# `DESTINATION/mine.tune/tune` makes DESTINATION/mine.db; what it is given goes
# to each `hone tune`. Templates and headers are below the folder of the
# CMakeLists.txt then.
#
# One command for each operation and device, and one for each template and
# architecture. They run again when the template, a header it includes or a
# template it names as reference changes, or its lines of SHAPES. Tuning has the
# terminal, one command after the other: two at once would disturb each other.

# Append `file`, the headers that it includes and the templates that it names,
# as far as they are in its folder or in `folders`.
function(_hone_files_of file folders out)
  if("${file}" IN_LIST ${out})
    return()
  endif()
  list(APPEND ${out} "${file}")
  cmake_path(GET file PARENT_PATH own)
  file(STRINGS "${file}" lines
    REGEX "^[ \t]*#[ \t]*(include[ \t]*\"|pragma[ \t]+hone[ \t].*template\\.)")
  foreach(line IN LISTS lines)
    set(names "")
    if(line MATCHES "include[ \t]*\"([^\"]+)\"")
      list(APPEND names "${CMAKE_MATCH_1}")
    else()
      string(REGEX MATCHALL "template\\.[A-Za-z0-9_]+" words "${line}")
      foreach(word IN LISTS words)
        string(REGEX REPLACE "^template\\.(.*)" "\\1.cu" word "${word}")
        list(APPEND names "${word}")
      endforeach()
    endif()
    foreach(name IN LISTS names)
      foreach(folder IN ITEMS "${own}" LISTS folders)
        if(EXISTS "${folder}/${name}")
          cmake_path(SET found NORMALIZE "${folder}/${name}")
          _hone_files_of("${found}" "${folders}" ${out})
          break()
        endif()
      endforeach()
    endforeach()
  endforeach()
  set(${out} "${${out}}" PARENT_SCOPE)
endfunction()

# The operation that a template's heading names.
function(_hone_op_of file out)
  file(STRINGS "${file}" heading LIMIT_COUNT 1
    REGEX "^#pragma hone (op|implements) +[A-Za-z0-9_]+")
  if(NOT heading MATCHES "(op|implements) +([A-Za-z0-9_]+)")
    message(FATAL_ERROR "hone_add_kernels: ${file} has no line "
      "'#pragma hone op' or '#pragma hone implements'")
  endif()
  set(${out} "${CMAKE_MATCH_2}" PARENT_SCOPE)
endfunction()

# The dimensions that the file gives for the operation.
function(_hone_shapes_of op file out)
  set(found "")
  file(STRINGS "${file}" lines)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#.*" "" line "${line}")
    if(line MATCHES "^[ \t]*${op}[ \t]+([^ \t\r]+)[ \t\r]*$")
      list(APPEND found "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# _hone_step([TERMINAL] STAMP file COMMENT text DEPENDS .. COMMANDS name..): each
# of the variables that COMMANDS names has one hone command. The stamp, their
# results, is written when all have ended well. TERMINAL: shows progress.
function(_hone_step)
  cmake_parse_arguments(PARSE_ARGV 0 S "TERMINAL" "STAMP;COMMENT"
    "DEPENDS;COMMANDS")
  set(commands "")
  set(manner --quiet)
  set(terminal "")
  if(S_TERMINAL)
    set(manner "")
    set(terminal USES_TERMINAL)
  endif()
  set(into >)
  foreach(name IN LISTS S_COMMANDS)
    list(APPEND commands COMMAND hone::program ${${name}} ${manner}
      --format json ${into} "${S_STAMP}.part")
    set(into >>)
  endforeach()
  add_custom_command(OUTPUT "${S_STAMP}" ${commands}
    COMMAND "${CMAKE_COMMAND}" -E rename "${S_STAMP}.part" "${S_STAMP}"
    DEPENDS ${S_DEPENDS} hone::program COMMENT "${S_COMMENT}" VERBATIM
    ${terminal})
endfunction()

# Tune now, or when the project is installed.
function(_hone_tune_at_install device op command database)
  set(words "")
  foreach(word IN LISTS command)
    string(APPEND words " [==[${word}]==]")
  endforeach()
  cmake_path(GET database PARENT_PATH folder)
  install(CODE "
    set(there TRUE)
    set(hone \"$<TARGET_FILE:hone::program>\")
    set(database \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${database}\")
    if(\"${device}\" MATCHES \"^cuda\")
      execute_process(COMMAND \"\${hone}\" doctor --quiet --require gpu
        RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
      if(result)
        set(there FALSE)
        message(STATUS \"Not tuning ${op}: there is no GPU\")
      endif()
    endif()
    if(there)
      message(STATUS \"Tuning ${op} on ${device}: \${database}\")
      file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
      execute_process(COMMAND \"\${hone}\" ${words} --db \"\${database}\"
        --quiet RESULT_VARIABLE result OUTPUT_QUIET)
      if(result)
        message(FATAL_ERROR \"${op} could not be tuned on ${device}\")
      endif()
    endif()")
endfunction()

# Append to `out` the command as the target has it, whose files lie beside it.
function(_hone_tune_later command cache out)
  set(line "\"$hone\"")
  foreach(word IN LISTS command)
    string(REPLACE "${cache}" "$here/cache" word "${word}")
    string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}/" "$here/sources/" word
      "${word}")
    string(APPEND line " \"${word}\"")
  endforeach()
  set(${out} "${${out}}${line} --db \"$here/../${K_TARGET}.db\" \"$@\"\n"
    PARENT_SCOPE)
endfunction()

function(_hone_check_arguments)
  if(NOT TARGET hone::program)
    message(FATAL_ERROR "hone_add_kernels: the program hone is not installed; "
      "find_package(hone CONFIG REQUIRED COMPONENTS program) says so")
  endif()
  foreach(needed TARGET TEMPLATES SHAPES)
    if(NOT K_${needed})
      message(FATAL_ERROR "hone_add_kernels: ${needed} is missing")
    endif()
  endforeach()
  if(K_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "hone_add_kernels: what is ${K_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT K_TUNE MATCHES "^(BUILD|INSTALL|LATER|NEVER)$")
    message(FATAL_ERROR
      "hone_add_kernels: TUNE is BUILD, INSTALL, LATER or NEVER")
  endif()
  if(K_TUNE MATCHES "INSTALL|LATER" AND NOT K_DESTINATION)
    message(FATAL_ERROR "hone_add_kernels: TUNE ${K_TUNE} needs a DESTINATION")
  endif()
  if(K_PACK AND NOT K_DESTINATION AND NOT K_EMBED)
    message(FATAL_ERROR "hone_add_kernels: PACK needs a DESTINATION or EMBED")
  endif()
  if(K_EMBED AND NOT TARGET ${K_TARGET})
    message(FATAL_ERROR "hone_add_kernels: EMBED needs the target ${K_TARGET}")
  endif()
  if(K_EMBED AND NOT K_PACK AND NOT (K_DEVICES AND K_TUNE STREQUAL "BUILD"))
    message(FATAL_ERROR "hone_add_kernels: EMBED needs DEVICES to tune for when "
      "it is built, or a PACK")
  endif()
endfunction()

# ---- the parts of hone_add_kernels(), in its scope ---------------------------

# `template` becomes part of `op`: templates_of_OP, shapes_of_OP, files_of_OP.
macro(_hone_take_template)
  cmake_path(ABSOLUTE_PATH template NORMALIZE)
  _hone_op_of("${template}" op)
  _hone_shapes_of("${op}" "${K_SHAPES}" shapes_of_${op})
  if(NOT shapes_of_${op})
    message(FATAL_ERROR "hone_add_kernels: ${K_SHAPES} has no line for "
      "'${op}' of ${template}")
  endif()
  set(files "")
  _hone_files_of("${template}" "${search};${hone_TEMPLATE_DIR}" files)
  list(APPEND ops ${op})
  list(APPEND templates_of_${op} "${template}")
  list(APPEND files_of_${op} ${files})
endmacro()

# Its variants for each shape, for `arch`.
macro(_hone_compile_template)
  string(REGEX REPLACE "^(sm_)?([0-9]+)[af]?$" "sm_\\2" sm "${arch}")
  cmake_path(GET template STEM name)
  set(commands "")
  foreach(dims IN LISTS shapes_of_${op})
    list(LENGTH commands n)
    list(APPEND commands compile_${n})
    set(compile_${n} compile "${template}" --arch ${sm} --dims "${dims}"
      ${common})
    if(K_LIMIT)
      list(APPEND compile_${n} --limit ${K_LIMIT})
    endif()
  endforeach()
  _hone_step(STAMP "${folder}/${name}.${sm}.json" COMMANDS ${commands}
    COMMENT "Compiling the variants of ${name} for ${sm}" DEPENDS ${files})
  list(APPEND stamps "${folder}/${name}.${sm}.json")
endmacro()

# `op` for `device`: one template by its file, several by the operation.
macro(_hone_tune_op)
  set(tune tune "${templates_of_${op}}")
  set(paths "")
  list(LENGTH templates_of_${op} n)
  if(n GREATER 1)
    set(tune tune ${op})
    foreach(template IN LISTS templates_of_${op})
      cmake_path(GET template PARENT_PATH own)
      list(APPEND paths "--template-path=${own}")
    endforeach()
    list(REMOVE_DUPLICATES paths)
  endif()
  foreach(dims IN LISTS shapes_of_${op})
    list(APPEND tune --dims "${dims}")
  endforeach()
  list(APPEND tune --device ${device} ${common} ${paths})
  if(K_BUDGET)
    list(APPEND tune --budget ${K_BUDGET})
  endif()
  if(K_TUNE STREQUAL "BUILD")
    list(APPEND tune --db "${database}")
    string(MAKE_C_IDENTIFIER "${device}" suffix)
    _hone_step(TERMINAL STAMP "${folder}/${op}.${suffix}.json" COMMANDS tune
      COMMENT "Tuning ${op} on ${device}" DEPENDS ${files_of_${op}})
    list(APPEND stamps "${folder}/${op}.${suffix}.json")
    list(APPEND tuned "${folder}/${op}.${suffix}.json")
  elseif(K_TUNE STREQUAL "INSTALL")
    _hone_tune_at_install(${device} ${op} "${tune}"
      "${K_DESTINATION}/${K_TARGET}.db")
  elseif(K_TUNE STREQUAL "LATER")
    _hone_tune_later("${tune}" "${cache}" script)
  endif()
endmacro()

# The winners, in `mine`. C where there is it, else C++: the file is both.
macro(_hone_embed)
  string(MAKE_C_IDENTIFIER "hone_kernels_${K_TARGET}" name)
  set(source "${folder}/${name}.c")
  set(from "${database}")
  if(NOT tuned)
    set(from "${K_PACK}")
  endif()
  add_custom_command(OUTPUT "${source}"
    COMMAND hone::program pack --db "${from}" --format c -o "${source}" --quiet
      > "${source}.txt"
    DEPENDS ${tuned} ${K_PACK} hone::program
    COMMENT "Packing the kernels of ${K_TARGET}" VERBATIM)
  if(NOT CMAKE_C_COMPILER)
    set_source_files_properties("${source}" PROPERTIES LANGUAGE CXX)
  endif()
  list(APPEND stamps "${source}")
  target_sources(${K_TARGET} PRIVATE "${source}")
endmacro()

# What TUNE LATER installs: `script` has the commands.
macro(_hone_install_later)
  set(later "${K_DESTINATION}/${K_TARGET}.tune")
  file(CONFIGURE OUTPUT "${folder}/tune" @ONLY CONTENT [[#!/bin/sh
# Written by hone_add_kernels(): tunes the kernels of @K_TARGET@ on this machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
hone=${HONE:-hone}
@script@]])
  install(PROGRAMS "${folder}/tune" DESTINATION "${later}")
  foreach(op IN LISTS ops)
    foreach(file IN LISTS files_of_${op})
      cmake_path(IS_PREFIX hone_TEMPLATE_DIR "${file}" is_ours)
      cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR "${file}" is_below)
      if(is_below)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY
          "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE place)
        cmake_path(GET place PARENT_PATH place)
        install(FILES "${file}" DESTINATION "${later}/sources/${place}")
      elseif(NOT is_ours)
        message(FATAL_ERROR "hone_add_kernels: TUNE LATER cannot install "
          "${file}, which is not below ${CMAKE_CURRENT_SOURCE_DIR}")
      endif()
    endforeach()
  endforeach()
  install(DIRECTORY "${cache}/" DESTINATION "${later}/cache")
endmacro()

function(hone_add_kernels)
  cmake_parse_arguments(PARSE_ARGV 0 K "EMBED"
    "TARGET;SHAPES;TUNE;BUDGET;LIMIT;DESTINATION;PACK"
    "TEMPLATES;DEVICES;ARCHS;INCLUDES")
  if(NOT K_TUNE)
    set(K_TUNE BUILD)
  endif()
  _hone_check_arguments()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/hone/${K_TARGET}")
  set(database "${folder}/${K_TARGET}.db")
  set(cache "${folder}/cache")
  set(common --cache-dir "${cache}")
  set(search "")
  set(stamps "")
  set(tuned "")
  set(script "")
  set(ops "")
  file(MAKE_DIRECTORY "${folder}" "${cache}")
  cmake_path(ABSOLUTE_PATH K_SHAPES NORMALIZE)
  if(K_PACK)
    cmake_path(ABSOLUTE_PATH K_PACK NORMALIZE)
  endif()
  foreach(include IN LISTS K_INCLUDES)
    cmake_path(ABSOLUTE_PATH include NORMALIZE)
    list(APPEND search "${include}")
    list(APPEND common --include "${include}")
  endforeach()

  foreach(template IN LISTS K_TEMPLATES)
    _hone_take_template()
    foreach(arch IN LISTS K_ARCHS)
      _hone_compile_template()
    endforeach()
    # What is read here is read again when it changes.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${K_SHAPES}")
  list(REMOVE_DUPLICATES ops)
  foreach(op IN LISTS ops)
    list(REMOVE_DUPLICATES files_of_${op})
    foreach(device IN LISTS K_DEVICES)
      _hone_tune_op()
    endforeach()
  endforeach()

  if(K_EMBED)
    _hone_embed()
  endif()
  if(K_TUNE STREQUAL "LATER")
    _hone_install_later()
  endif()
  if(K_PACK AND K_DESTINATION)
    install(FILES "${K_PACK}" DESTINATION "${K_DESTINATION}"
      RENAME "${K_TARGET}.pack")
  endif()
  add_custom_target(${K_TARGET}_hone_kernels ALL DEPENDS ${stamps})
  set_property(TARGET ${K_TARGET}_hone_kernels PROPERTY
    ADDITIONAL_CLEAN_FILES "${database};${cache}")
  if(TARGET ${K_TARGET})
    add_dependencies(${K_TARGET} ${K_TARGET}_hone_kernels)
    set_target_properties(${K_TARGET} PROPERTIES
      HONE_DATABASE "${database}" HONE_CACHE "${cache}")
  endif()
  if(K_DESTINATION AND K_DEVICES AND K_TUNE STREQUAL "BUILD")
    install(FILES "${database}" DESTINATION "${K_DESTINATION}")
  endif()
endfunction()
