#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BINDINGS LIBRARY
#
# Three lists are one: the functions that BINDINGS/include/sunlagrange/sunlagrange_c.h declares, those that
# BINDINGS/sunlagrange_c.map records for a version of the interface, and the symbols that LIBRARY exports, with that version.
# And the functions have C names: callbacks are handed to C libraries.
set -euo pipefail
bindings=$1 library=$2
header=$bindings/include/sunlagrange/sunlagrange_c.h

declared() {
  awk '/^SUNLAGRANGE_C_API/ { inside = 1 } inside { print } /;/ { inside = 0 }' "$header" | grep -o 'sunlagrange_[a-z_]*(' | tr -d '(' | sort
}
recorded() { # NAME@@VERSION
  awk '/^SUNLAGRANGE_C_/ { version = $1 } /^    sunlagrange_/ { sub(";", "", $1); print $1 "@@" version }' \
    "$bindings/sunlagrange_c.map" | sort
}
exported() {
  nm --dynamic --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }' | sort
}

diff <(declared) <(recorded | sed 's/@@.*//') || { echo "header (<) and record (>) differ" >&2; exit 1; }
diff <(recorded) <(exported) || { echo "record (<) and library (>) differ" >&2; exit 1; }
[[ $(recorded | wc -l) -gt 50 ]] || { echo "hardly any function was found" >&2; exit 1; }
echo "$(recorded | wc -l) functions"
