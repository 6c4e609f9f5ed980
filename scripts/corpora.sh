#!/usr/bin/env bash
# Fetches real C programs, as published crates carry them, into target/corpora; quick when all are there. Checks and
# benchmarks run on them; nothing of them is ever committed. Offline it says what is missing and goes on. Packages can be
# named: corpora.sh lua-src@540.0.1 …
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
home=${CARGO_TARGET_DIR:-$root/target}/corpora
packages=("$@")
[ $# -gt 0 ] || packages=(libz-sys@1.1.20 lz4-sys@1.11.1 bzip2-sys@0.1.11 lua-src@547.0.0 libsqlite3-sys@0.30.1)

for package in "${packages[@]}"; do
  compgen -G "$home/registry/src/*/${package/@/-}*" >/dev/null && continue
  echo "corpora: fetching $package" >&2
  # The client unpacks what it shows; it exits with an error for old packages, which does not matter.
  (cd / && CARGO_HOME=$home timeout 120 cargo info -q "$package") >/dev/null 2>&1
  compgen -G "$home/registry/src/*/${package/@/-}*" >/dev/null || echo "corpora: $package cannot be fetched" >&2
done
