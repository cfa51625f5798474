# tests/check.sh - what the scripts here share: a folder $work that goes in the end, the sources in
# $root, counted checks, and the closing line. A script says `source` with its place.
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2064 # $work is known
set -uo pipefail
# shellcheck disable=SC2034 # for the scripts
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
work=$(mktemp -d)
trap "rm -rf $(printf %q "$work")" EXIT
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: one test case; shows what the command said when it fails.
check () {
  local what=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$what"
    tail -n 60 "$work/said"
  fi
}

# skip WHY: a case that cannot be tried here
skip () {
  skipped=$((skipped + 1))
  echo "SKIP: $1"
}

# finish: the closing line; all were skipped: 77
finish () {
  printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
  [[ $failed -eq 0 ]] || exit 1
  [[ $passed -gt 0 ]] || exit 77
  exit 0
}
