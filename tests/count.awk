# count.awk - adds up the test cases of one ctest run and prints the closing line.
#
#   ctest --test-dir build >said; awk -f tests/count.awk said build/Testing/Temporary/LastTest.log
#
# Every test program ends with a line "N passed, N failed" or "N passed, N failed, N skipped", and
# says why it skipped in lines that begin "SKIP: ". ctest's own lines say how each program ended:
# one that failed without a count, or against its count, is one failed case more; one that passed
# or skipped without a count is one case. Exit status 1 if a case failed or none passed.
# SPDX-License-Identifier: BSD-3-Clause

# First file: what ctest said. " 3/10 Test  #3: name ......***Skipped   0.00 sec"
FNR == NR {
  if ($0 ~ /^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: /) {
    name = $0
    sub (/^ *[0-9]+\/[0-9]+ +Test +#[0-9]+: /, "", name)
    sub (/ .*/, "", name)
    order[++programs] = name
    if ($0 ~ / Passed +[0-9.]+ sec/)
      verdict[name] = "passed"
    else if ($0 ~ /\*\*\*(Skipped|Not Run \(Disabled\))/)
      verdict[name] = "skipped"
    else
      verdict[name] = "failed"
  }
  next
}

# Second file: LastTest.log, every program's whole output.
/^[0-9]+\/[0-9]+ Test: / { name = $0; sub (/^[0-9]+\/[0-9]+ Test: /, "", name); inside = 0 }
/^Output:$/ { inside = 1 }
/^<end of output>$/ { inside = 0 }
inside && /^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?\r?$/ {
  counted[name] = 1
  passed[name] = $1 + 0
  failed[name] = $3 + 0
  skipped[name] = $5 + 0
}
inside && /^SKIP: / && ! ((name, $0) in seen) {
  seen[name, $0] = 1
  why[name] = why[name] (why[name] == "" ? "" : "; ") substr ($0, 7)
}

END {
  for (i = 1; i <= programs; i++) {
    name = order[i]
    if (! counted[name]) {
      passed[name] = verdict[name] == "passed"
      failed[name] = 0
      skipped[name] = verdict[name] == "skipped"
    }
    if (verdict[name] == "failed" && failed[name] == 0)
      failed[name] = 1
    p += passed[name]
    f += failed[name]
    s += skipped[name]
    if (skipped[name] > 0)
      printf "skipped %d of %s: %s\n", skipped[name], name, why[name] == "" ? "no reason given" : why[name]
    if (failed[name] > 0)
      printf "failed %d of %s\n", failed[name], name
  }
  printf "%d passed, %d failed, %d skipped\n", p, f, s
  exit f > 0 || p == 0
}
