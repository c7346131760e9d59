#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# reuse.sh COMPILER ARGUMENT... SOURCE
#
# Compiler launcher for run.sh. The copy $TREE, built in $COPY, differs from the tree $ROOT in the files that the recipes
# added or changed, listed in $CHANGED; objects that depend on none of them are taken from the build of the tree, $BUILD,
# if they are up to date there. All others are compiled.
set -euo pipefail

object='' dependencies='' source=''
for argument in "$@"; do
  case $source in
    -o) object=$argument ;;
    -MF) dependencies=$argument ;;
  esac
  source=$argument
done

dependencies_of() { # OUTPUT: absolute paths; for a precompiled header what it was made of
  local list
  list=$(ninja -C "$BUILD" -t deps "$1" | sed -n 's/^    //p')
  (cd "$BUILD" && { grep -v '\.gch$' <<<"$list" || true; } | xargs realpath -ms)
  for header in $(grep '\.gch$' <<<"$list" || true); do dependencies_of "$header"; done
}

same_source() { # a generated source names the files that it stands for; the path of the tree may be compiled in
  if [[ $source == "$COPY"/* ]]; then
    diff <(sed "s|$TREE/|$ROOT/|" "$source") "$BUILD/${source#"$COPY"/}" >/dev/null
  else
    ! grep -q SUNLAGRANGE_SOURCE_DIR "$source"
  fi
}

if [[ $object == *.o && -f $BUILD/$object ]] && same_source; then
  list=$(dependencies_of "$object")
  if [[ -n $list ]] && ! grep -qxFf "$CHANGED" <<<"$list" &&
    [[ -z $(xargs sh -c 'find "$@" -maxdepth 0 -newer "$0"' "$BUILD/$object" <<<"$list") ]]; then
    cp "$BUILD/$object" "$object"
    { printf '%s: ' "$object"; sed "s|^$ROOT/|$TREE/|" <<<"$list" | tr '\n' ' '; } >"$dependencies"
    exit
  fi
fi
exec "$@"
