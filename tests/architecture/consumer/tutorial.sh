#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tutorial.sh TUTORIAL FOLDER
#
# Runs the commands of the tutorial in FOLDER, one block after the other, with the installation at $PREFIX. Then looks for
# the lines of its outputs (blocks "text") among what the commands wrote: each must be there, up to its numbers, which differ
# between machines.
set -euo pipefail
tutorial=$1
cd "$2"

block() { awk -v kind="$1" '$0 == "```" kind { inside = 1; next } /^```$/ { inside = 0 } inside' "$tutorial"; }
without_numbers() { sed -E 's/[-+]?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?/#/g; s/[[:space:]]+/ /g; s/ $//'; }

commands=$(block sh)
built=true
if [[ ! -e $PREFIX/bin/sunlagrange ]]; then # without the programs
  built=false
  commands=$(grep -v bin/sunlagrange <<<"$commands")
fi
printf 'set -eux\n%s\n' "$commands" >tutorial_commands.sh
bash tutorial_commands.sh | tee tutorial.log
[[ $built == true ]] || exit 0

without_numbers <tutorial.log >tutorial_lines.log
missing=0
while IFS= read -r line; do
  [[ -z $line || $line == "..." ]] && continue
  if ! grep -qxF -e "$(without_numbers <<<"$line")" tutorial_lines.log; then
    echo "no command of the tutorial writes: $line" >&2
    missing=1
  fi
done < <(block text)
exit $missing
