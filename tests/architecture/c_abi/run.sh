#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh LIBRARY HEADERS [--record]
#
# LIBRARY, compiled with debug information, still has every function of the recorded interface, with the same parameters,
# results and public types. New functions are no change; --record writes the interface anew, which is for releases.
set -euo pipefail
library=$1 headers=$(realpath "$2")
record=$(dirname "$0")/libsunlagrange_c.abi

interface() {
  abidw --headers-dir "$headers" --drop-private-types --exported-interfaces-only --drop-undefined-syms --no-corpus-path \
    --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture --out-file "$1" "$library"
}

if [[ "${3:-}" == --record ]]; then
  interface "$record"
  sed -i "s#path='[^']*/#path='#" "$record" # of the machine
  exit
fi
now=$(mktemp)
trap 'rm -f "$now"' EXIT
interface "$now"
[[ $(grep -c '<function-decl' "$now") -gt 50 ]] || { echo "no types: compile with -g" >&2; exit 1; }
abidiff --no-added-syms --no-architecture "$record" "$now" ||
  { echo "the C interface has changed; callers compiled before would not find what they expect" >&2; exit 1; }
