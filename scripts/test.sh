#!/usr/bin/env bash
# Runs all tests. nextest gives one summary for the workspace; plain cargo does where it is not installed.
set -euo pipefail
if cargo nextest --version >/dev/null 2>&1; then
  exec cargo nextest run --workspace --no-fail-fast
fi
exec cargo test --workspace --no-fail-fast
