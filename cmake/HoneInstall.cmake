# SPDX-License-Identifier: Apache-2.0
# What programs that use hone need of an installed tree: libhone.a, a package
# for find_package(hone CONFIG) and one for pkg-config. Both find the rest from
# where they are themselves, so that the tree may be moved. Included after all
# targets; what belongs to a folder is installed there. Components:
#   runtime    libhone.so                    dev   hone.h, libhone.a, packages
#   tools      hone, templates, documents    baselines   the plug-in
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hone")
install(EXPORT hone-targets NAMESPACE hone:: DESTINATION "${package_dir}"
  COMPONENT dev)
# The archive is the one the tools link: it shows more than hone.h, hidden.
install(FILES $<TARGET_FILE:hone_runtime> RENAME libhone.a
  DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)

set(HONE_TEMPLATE_INSTALL_DIR "${CMAKE_INSTALL_DATADIR}/hone/templates")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/hone-config.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/hone-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
    HONE_TEMPLATE_INSTALL_DIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/cmake/hone-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/hone-config.cmake"
    "${PROJECT_BINARY_DIR}/cmake/hone-config-version.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/HoneKernels.cmake"
  DESTINATION "${package_dir}" COMPONENT dev)

# Folders that are absolute (a distribution's choice) stay so.
file(RELATIVE_PATH HONE_PC_PREFIX
  "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" HONE_PC_PREFIX "${HONE_PC_PREFIX}")
set(HONE_PC_PREFIX "\${pcfiledir}/${HONE_PC_PREFIX}")
foreach(folder LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(HONE_PC_${folder} "${CMAKE_INSTALL_${folder}}")
    set(HONE_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  else()
    set(HONE_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/hone.pc.in"
  "${PROJECT_BINARY_DIR}/cmake/hone.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cmake/hone.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
