#!/usr/bin/env bash
# Installs the tarball of scripts/package.sh into an empty folder, hides the checkout, and runs the demo with what is installed.
# Needs the right to make a mount namespace.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
tarball=$(ls "$target"/package/hydrogen-*.tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$tarball" -C "$work"
cp -a "$root/scripts" "$root/examples" "$work/"
export HYDROGEN=$(echo "$work"/hydrogen-*/bin/hydrogen) HYDROGEN_CACHE=$work/cache CARGO_TARGET_DIR=$work/target
hide='mount -t tmpfs none "$0" && shift 0 && exec "$@"'
unshare --map-root-user --mount bash -c "$hide" "$root" bash -c '
  set -euo pipefail
  cd "$1"
  [ -z "$(ls -A "$2")" ] || { echo "smoke: the checkout is still visible" >&2; exit 1; }
  "$HYDROGEN" doctor
  scripts/demo.sh >demo.txt
  grep -q "The patch fixes v2, v3" demo.txt
  printf "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n" >hello.c
  [ "$("$HYDROGEN" --quiet run hello.c | head -n 1)" = hello ]
' _ "$work" "$root"
echo "smoke: the installed programs work without the checkout"
