#!/usr/bin/env bash
# Puts the layout library of the HTML picture (elkjs, from npm) into crates/report/vendor, which git ignores.
# Does nothing when it is there. Without npm or network the picture falls back to its own layout, so that is no failure;
# a file with another checksum than the pinned one is.
set -euo pipefail

version=0.12.1
package_sha512=2213182871384b6bedc7442b8413f79583882837888895c1addabd306624b81f191ea86b0671cd7d25277635c57b0ad7d423caf1c870abed8d0342b4865898bb
worker_sha512=977764905835190f75b89a04baca4fae8fddd5da5cd2675145d8e8b38ef66fc248543ec0e142f5af93109db8ef20ae3dd86430fcdcae02f0ac94d0420714862b

vendor=$(cd "$(dirname "$0")/.." && pwd)/crates/report/vendor

matches() { # FILE SHA512
  [ -f "$1" ] && echo "$2  $1" | sha512sum --check --status
}

if matches "$vendor/elk-worker.min.js" "$worker_sha512" && [ -s "$vendor/elk-license.md" ]; then
  exit 0
fi
skip() {
  echo "setup: elkjs is not there ($1): HTML pictures will use the simpler built-in layout" >&2
  exit 0
}
command -v npm >/dev/null || skip "npm is missing; install it and run scripts/setup.sh again"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "setup: fetching elkjs $version" >&2
(cd "$work" && npm pack --silent "elkjs@$version" >/dev/null) || skip "npm could not fetch it"

archive=$work/elkjs-$version.tgz
matches "$archive" "$package_sha512" || { echo "setup: elkjs-$version.tgz has an unexpected checksum; not used" >&2; exit 1; }
tar -xzf "$archive" -C "$work"
matches "$work/package/lib/elk-worker.min.js" "$worker_sha512" || { echo "setup: elk-worker.min.js has an unexpected checksum; not used" >&2; exit 1; }
mkdir -p "$vendor"
cp "$work/package/LICENSE.md" "$vendor/elk-license.md"
cp "$work/package/lib/elk-worker.min.js" "$vendor/elk-worker.min.js"
