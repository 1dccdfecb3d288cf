# SPDX-License-Identifier: Apache-2.0
# CPack: `cpack -G DEB --config build/CPackConfig.cmake` makes one .deb for each
# component of HoneInstall.cmake; `cpack -G TGZ` archives. For a package with
# the folders that Debian has, configure with -DCMAKE_INSTALL_PREFIX=/usr.
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VENDOR "hone")
set(CPACK_PACKAGE_CONTACT "hone <root@localhost>" CACHE STRING
  "Maintainer that the packages name")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL runtime dev tools)
if(TARGET hone_baselines)
  list(APPEND CPACK_COMPONENTS_ALL baselines)
endif()
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
find_program(HONE_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(HONE_SHLIBDEPS)
if(HONE_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6")
endif()

# hone_package(COMPONENT PACKAGE SECTION SUMMARY [DEPENDS ..] [RECOMMENDS ..]
#   [SUGGESTS ..])
function(hone_package component name section summary)
  cmake_parse_arguments(P "" "DEPENDS;RECOMMENDS;SUGGESTS" "" ${ARGN})
  string(TOUPPER ${component} upper)
  set(prefix CPACK_DEBIAN_${upper}_PACKAGE)
  set(${prefix}_NAME ${name} PARENT_SCOPE)
  set(${prefix}_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}" PARENT_SCOPE)
  foreach(relation DEPENDS RECOMMENDS SUGGESTS)
    if(P_${relation})
      set(${prefix}_${relation} "${P_${relation}}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

set(library libhone${HONE_SOVERSION})
hone_package(runtime ${library} libs "tuned CUDA kernels at call time: library")
hone_package(dev libhone-dev libdevel
  "tuned CUDA kernels at call time: header, archive, CMake and pkg-config"
  DEPENDS "${library} (= ${PROJECT_VERSION}), libsqlite3-dev, libzstd-dev, libmd-dev")
hone_package(tools hone devel
  "kernel autotuner for CUDA: program, templates and manual"
  RECOMMENDS "g++" SUGGESTS "hone-baselines, libcuda1, nvidia-cuda-toolkit")
hone_package(baselines hone-baselines devel
  "kernel autotuner for CUDA: what needs nvcc to be compared with (CUB)"
  DEPENDS "hone (= ${PROJECT_VERSION})")
# The dynamic loader learns of the library.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/cmake/triggers"
  CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  "${PROJECT_BINARY_DIR}/cmake/triggers")
include(CPack)
