#!/usr/bin/env bash
# reuse.sh COMPILER ARGUMENT...
#
# Compiler launcher for run.sh. The copy of the tree differs from the tree in the files that the recipes added or
# changed, listed in $CHANGED; objects that depend on none of them are taken from the build of the tree, $BUILD, if they
# are up to date there. All others are compiled.
set -euo pipefail

object='' dependencies='' previous='' own_paths=false
for argument in "$@"; do
  case $previous in
    -o) object=$argument ;;
    -MF) dependencies=$argument ;;
  esac
  if [[ $argument == -DSUNLAGRANGE_SOURCE_DIR=* ]]; then own_paths=true; fi # compiled in: the copy has another one
  previous=$argument
done

same_unit() { # a unity source lists the files that it stands for
  [[ $previous != */Unity/*.cxx ]] || diff -q <(sed "s|$TREE/|$ROOT/|" "$previous") "$BUILD/${object%.o}" >/dev/null
}

if [[ $object == *.o && $own_paths == false && -f $BUILD/$object ]] && same_unit; then
  list=$(ninja -C "$BUILD" -t deps "$object" | sed -n 's/^    //p' | (cd "$BUILD" && xargs realpath -ms))
  if [[ -n $list ]] && ! grep -qxFf "$CHANGED" <<<"$list" &&
    [[ -z $(xargs sh -c 'find "$@" -maxdepth 0 -newer "$0"' "$BUILD/$object" <<<"$list") ]]; then
    cp "$BUILD/$object" "$object"
    { printf '%s:' "$object"; sed "s|^$ROOT/|$TREE/|" <<<"$list" | tr '\n' ' '; } >"$dependencies"
    exit
  fi
fi
exec "$@"
