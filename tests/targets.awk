# targets.awk - prints the targets that build what some tests need, one a line.
#
#   ctest --test-dir build -N -R NAME >said; find build/tests -name CTestTestfile.cmake -exec cat {} + >tests
#   awk -f tests/targets.awk -v build=$PWD/build said tests
#
# A command names what its test needs: a program below tests/, a library of the package, or build/package as a
# whole. A test that names the whole build, or nothing of it, needs everything: "all".
# SPDX-License-Identifier: BSD-3-Clause
BEGIN { FS = "\"" }

# First file: what ctest said. "  Test  #3: name"
FNR == NR {
  if ($0 ~ /^ *Test +#[0-9]+: /) {
    sub (/^ *Test +#[0-9]+: /, "")
    sub (/ .*/, "")
    named[$0]
  }
  next
}

# Second file: CMake's tests. add_test(name "/program" "argument"), or add_test([=[name]=] "/program")
/^add_test/ {
  name = $1
  gsub (/^add_test\(|[][= ]/, "", name)
  if (! (name in named))
    next
  found = 0
  for (i = 2; i <= NF; i += 2)
    if ($i == build || index ($i, build "/") == 1) {
      file = substr ($i, length (build) + 2)
      target = file
      gsub (/^.*\/(lib)?|\.so$/, "", target)
      if (file !~ /^tests\/|^package\/lib.*\.so$/)
        target = file ~ /^package/ ? "whole_package" : "all"
      needed[target]
      found = 1
    }
  if (! found)
    needed["all"]
}

END {
  if ("all" in needed)
    print "all"
  else
    for (target in needed)
      print target
}
