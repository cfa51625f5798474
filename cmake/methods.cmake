# methods.cmake - the methods that package/make-methods makes, beside the gateways. Octave finds the
# methods of a class in all folders of its path. (In the package they are in one folder.)
# SPDX-License-Identifier: BSD-3-Clause
set (methods ${CMAKE_SOURCE_DIR}/octave/methods)
set (functions ${CMAKE_SOURCE_DIR}/mex/gpu_functions.h ${CMAKE_SOURCE_DIR}/engine/gpumm_elementwise.h)
set (make_methods ${CMAKE_SOURCE_DIR}/package/make-methods)
add_custom_command (OUTPUT ${GPUMM_ARCH_DIR}/methods
  COMMAND ${make_methods} ${GPUMM_ARCH_DIR}
  COMMAND ${CMAKE_COMMAND} -E copy ${methods} ${GPUMM_ARCH_DIR}/methods
  DEPENDS ${methods} ${functions} ${make_methods} VERBATIM COMMENT "Making the methods of octave/methods")
add_custom_target (methods ALL DEPENDS ${GPUMM_ARCH_DIR}/methods)
