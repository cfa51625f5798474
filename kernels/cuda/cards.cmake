# cards.cmake - compute capabilities of graphics cards by the names that people use.
#
# README.md has this table for readers.
# SPDX-License-Identifier: BSD-3-Clause

# Each capability, and the names of its cards as regular expressions, without spaces and hyphens.
set (GPUMM_CARDS
  "75 T4|RTX20([5-8]0)?|GTX16([356]0)?|QUADRORTX[0-9]*"
  "80 A100|A30|A800"
  "86 RTX30([5-9]0)?|A10|A40|A2|A16|RTXA[0-9]+"
  "87 ORIN|AGXORIN"
  "89 RTX40([5-9]0)?|L4|L40S?|RTX[0-9]+ADA"
  "90 H100|H200|H800|H20|GH200"
  "100 B100|B200|GB200"
  "103 B300|GB300"
  "110 THOR"
  "120 RTX50([5-9]0)?|RTXPRO[0-9]*"
  "121 GB10|DGXSPARK")

# gpumm_capabilities (TEXT VARIABLE): the capabilities, "75;89", of a TEXT such as "T4, RTX 40", "H100"
# or "75 9.0"; an error for unknown names.
function (gpumm_capabilities text variable)
  string (TOUPPER "${text}" text)
  # a name becomes one word, without the maker's name and the size of the memory
  string (REGEX REPLACE "(NVIDIA|GEFORCE|TESLA|JETSON) *|[ -]+[0-9]+ *GB" "" text "${text}")
  string (REGEX REPLACE "(RTX|GTX|PRO|QUADRO|DGX|AGX)[ -]+" "\\1" text "${text}")
  string (REGEX REPLACE "[ -]+(TI|SUPER|ADA)" "\\1" text "${text}")
  string (REGEX REPLACE "[ ,;]+" ";" words "${text}")
  set (found "")
  foreach (word IN LISTS words)
    if (word STREQUAL "")
      continue ()
    endif ()
    set (capability "")
    if (word MATCHES "^([0-9]+)\\.?([0-9])A?F?$") # 7.5 or 75, as itself
      set (capability ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    endif ()
    foreach (row IN LISTS GPUMM_CARDS)
      string (REGEX MATCH "^([0-9]+) (.*)$" row "${row}")
      set (number ${CMAKE_MATCH_1})
      if (word MATCHES "^(${CMAKE_MATCH_2})(D|TI|SUPER|TISUPER)?$")
        set (capability ${number})
      endif ()
    endforeach ()
    if (capability STREQUAL "")
      message (FATAL_ERROR "gpumm: no card \"${word}\" is known. Known are T4, RTX 20, RTX 30, RTX 40, "
        "RTX 50, A100, A10, L4, L40, H100, H200, B200, B300 and others of the README's table; or give "
        "the compute capability, 8.6")
    endif ()
    list (APPEND found ${capability})
  endforeach ()
  list (REMOVE_DUPLICATES found)
  set (${variable} "${found}" PARENT_SCOPE)
endfunction ()
