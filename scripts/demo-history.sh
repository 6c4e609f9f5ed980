#!/usr/bin/env bash
# Makes a bundled example history as a git repository: demo-history.sh FOLDER [EXAMPLE]. Same bytes every time.
set -euo pipefail
target=$1
example=${2:-privilege}
source=$(cd "$(dirname "$0")/../examples/$example" && pwd)
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.org
export GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.org
case $example in
  privilege) subjects=("Handle requests" "Fix the overflow" "Check the allocation" "Fix the fix") ;;
  multiply) subjects=("Multiply" "Fix the overflow" "Fix the fix" "Move the check") ;;
esac

rm -rf "$target"
git init -q -b main "$target"
for number in 1 2 3 4; do
  version=v$number
  cp -R "$source/$version/." "$target/"
  git -C "$target" add -A
  export GIT_AUTHOR_DATE="2024-01-0${number}T12:00:00Z" GIT_COMMITTER_DATE="2024-01-0${number}T12:00:00Z"
  git -C "$target" commit -q -m "${subjects[number - 1]}"
  git -C "$target" tag "$version"
done
