#!/usr/bin/env bash
# Runs all tests. nextest gives one summary for the workspace; plain cargo does where it is not installed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/corpora.sh"
export HYDROGEN_CORPORA=${CARGO_TARGET_DIR:-$root/target}/corpora
if cargo nextest --version >/dev/null 2>&1; then
  exec cargo nextest run --workspace --no-fail-fast
fi
exec cargo test --workspace --no-fail-fast
