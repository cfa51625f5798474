# find.cmake - what `cmake --install` adds for builds that use the engine: gpumm.pc for pkg-config,
# and for CMake's find_package (gpumm) the target gpumm::gpumm. Both follow the installed folder when
# it is moved.
# SPDX-License-Identifier: BSD-3-Clause
include (CMakePackageConfigHelpers)
set (folder ${CMAKE_INSTALL_LIBDIR}/cmake/gpumm)
install (EXPORT gpumm NAMESPACE gpumm:: FILE gpumm-config.cmake DESTINATION ${folder})
set (version_file ${CMAKE_CURRENT_BINARY_DIR}/gpumm-config-version.cmake)
write_basic_package_version_file (${version_file} COMPATIBILITY SameMinorVersion)
install (FILES ${version_file} DESTINATION ${folder})

file (RELATIVE_PATH to_include
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file (cmake/gpumm.pc.in gpumm.pc @ONLY)
install (FILES ${CMAKE_CURRENT_BINARY_DIR}/gpumm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
