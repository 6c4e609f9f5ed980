#!/usr/bin/env bash
# Shows Hydrogen's main answers on the bundled example histories.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/demo
hydrogen=${HYDROGEN:-${CARGO_TARGET_DIR:-$root/target}/${HYDROGEN_PROFILE:-release}/hydrogen}
mkdir -p "$work"
"$root/scripts/demo-history.sh" "$work/privilege" privilege
"$root/scripts/demo-history.sh" "$work/multiply" multiply
export HYDROGEN_CACHE=${HYDROGEN_CACHE:-$work-cache}

say() {
  echo
  echo "# $*"
}

show() {
  echo
  echo "\$ hydrogen $*"
  # Exit code 1 says that something was found, which is what a demo is for.
  "$hydrogen" "$@" || [ $? -eq 1 ]
}

cd "$work/privilege"
say "Four versions of a program that copies its argument."
show versions 'v*'
show diff v2 v3
say "Which of them have the overflow at the copy? Version 2 claims to fix it."
show impact --bug handle.c:14@v3 --kind overflow v1 v2 v3 v4
say "A privilege that is taken must be given back. Only version 3 forgets that, on a new path."
for change in v1..v2 v2..v3 v3..v4; do
  show check "$change" --only-rules --rule 'get_privilege => drop_privilege'
done
say "Would version 4's fix also work for the older releases?"
show patch --from v3..v4 --bug handle.c:14 --kind overflow v1 v2 v3

cd "$work/multiply"
say "Another history: a multiplication that can overflow, a fix that does not work, one that does, and a refactoring."
show impact --bug start.c:10@v1 --kind signed-overflow v1 v2 v3 v4
