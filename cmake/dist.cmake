# dist.cmake - `cmake --build build --target dist` makes build/gpumm-<version>.tar.gz, which Octave's
# `pkg install` takes.
# SPDX-License-Identifier: BSD-3-Clause
add_custom_target (dist
  COMMAND ${CMAKE_SOURCE_DIR}/package/make-dist ${CMAKE_BINARY_DIR}
  VERBATIM)
