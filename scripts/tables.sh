#!/usr/bin/env bash
# tables.sh [--check] PROGRAM
#
# Writes the tables of README.md and examples/README.md from the registries: each stands below a comment with the
# arguments of PROGRAM (sunlagrange-bench) that prints it. With --check nothing is written: rows that differ are shown,
# and the exit code is 1. `cmake --build --preset dev --target tables` runs it.
set -euo pipefail

check=false
if [[ $1 == --check ]]; then
  check=true
  shift
fi
program=$(realpath "$1")
cd "$(dirname "$0")/.."

status=0
for file in README.md examples/README.md; do
  text=$(awk -v program="$program" '
    /^<!-- end of table -->$/ { inside = 0 }
    !inside { print }
    /^<!-- sunlagrange-bench .* -->$/ {
      inside = 1
      fflush()
      if (system("\"" program "\" " substr($0, 24, length($0) - 27)) != 0) exit 1
    }' "$file")
  if [[ $check == false ]]; then
    printf '%s\n' "$text" >"$file"
  elif ! diff --unified=0 --label "$file" --label "$file, as it should be" "$file" - <<<"$text"; then
    echo "$file: run scripts/tables.sh, or take the lines with + over by hand" >&2
    status=1
  fi
done
exit $status
