#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tables.sh [--check] PROGRAM
#
# Writes the tables of docs/formulations.md and examples/README.md from the registries: each stands below a comment with the
# arguments of PROGRAM (sunlagrange) that prints it. Writes docs/mechanism.schema.json and docs/figures.md as well, and by
# scripts/reference_pages.py the pages of elements, options and the gallery. With --check nothing is written: rows that
# differ are shown, and the exit code is 1. `cmake --build --preset dev --target tables` runs it.
set -euo pipefail

check=false
if [[ $1 == --check ]]; then
  check=true
  shift
fi
program=$(realpath "$1")
cd "$(dirname "$0")/.."

status=0
# take FILE TEXT: the file is this text, or says how it differs.
take() {
  if [[ $check == false ]]; then
    printf '%s\n' "$2" >"$1"
  elif ! diff --unified=0 --label "$1" --label "$1, as it should be" "$1" - <<<"$2"; then
    echo "$1: run scripts/tables.sh, or take the lines with + over by hand" >&2
    status=1
  fi
}

for file in docs/formulations.md examples/README.md; do
  text=$(awk -v program="$program" '
    /^<!-- end of table -->$/ { inside = 0 }
    !inside { print }
    /^<!-- sunlagrange .* -->$/ {
      inside = 1
      fflush()
      if (system("\"" program "\" " substr($0, 18, length($0) - 21)) != 0) exit 1
    }' "$file")
  take "$file" "$text"
done
schema=$("$program" export --schema)
take docs/mechanism.schema.json "$schema"
figures=$("$program" export --figures)
take docs/figures.md "$figures"
if [[ $check == true ]]; then
  python3 scripts/reference_pages.py --check "$program" || status=1
else
  python3 scripts/reference_pages.py "$program"
fi
exit $status
