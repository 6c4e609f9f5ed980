#!/usr/bin/env bash
# Shows Hydrogen's main answer on the bundled example history.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/demo
hydrogen=${CARGO_TARGET_DIR:-$root/target}/release/hydrogen
"$root/scripts/demo-history.sh" "$work"
export HYDROGEN_CACHE=${HYDROGEN_CACHE:-$work-cache}
cd "$work"

show() {
  echo
  echo "\$ hydrogen $*"
  # Exit code 1 says that something was found, which is what a demo is for.
  "$hydrogen" "$@" || [ $? -eq 1 ]
}

show versions 'v*'
show functions v1 v2
show functions v2 v3
show functions v3 v4
show diff v2 v3
