#!/usr/bin/env bash
# Makes the bundled example history as a git repository in the folder given. Same bytes every time.
set -euo pipefail
target=$1
source=$(cd "$(dirname "$0")/../examples/privilege" && pwd)
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.org
export GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.org
declare -A subject=(
  [v1]="Handle requests" [v2]="Fix the overflow" [v3]="Check the allocation" [v4]="Fix the fix"
)

rm -rf "$target"
git init -q -b main "$target"
for version in v1 v2 v3 v4; do
  cp -R "$source/$version/." "$target/"
  git -C "$target" add -A
  export GIT_AUTHOR_DATE="2024-01-0${version#v}T12:00:00Z" GIT_COMMITTER_DATE="2024-01-0${version#v}T12:00:00Z"
  git -C "$target" commit -q -m "${subject[$version]}"
  git -C "$target" tag "$version"
done
