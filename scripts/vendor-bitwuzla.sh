#!/usr/bin/env bash
# Builds the solver Bitwuzla as one static library in vendor/bitwuzla, which git ignores and `cargo clean` leaves alone.
# Does nothing when it is there. Its source comes with a published crate, that of its SAT solver CaDiCaL with another;
# both are fetched by the ordinary cargo client and compared with pinned checksums. Without compiler, headers or network
# Hydrogen is built with the SMT-LIB back end alone, so that is no failure; other content than the pinned one is.
set -euo pipefail

solver=bitwuzla-sys@0.8.0
solver_sha256=ff63cfc9ecd7406fbe2c008bd51091562e88c7b845b29df99679adb4a0e8bad2
sat=rustsat-cadical@0.7.0
sat_sha256=be2dcb35dc33b7f7cce899163456e111b81d0bec03a22bc0c067a678f6aabc5e
# Raise this when the way of building changes.
recipe=3

root=$(cd "$(dirname "$0")/.." && pwd)
vendor=$root/vendor/bitwuzla
stamp="$solver $sat recipe $recipe"
if [ -s "$vendor/libbitwuzla.a" ] && [ "$(cat "$vendor/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi

skip() {
  echo "setup: Bitwuzla is not built ($1): Hydrogen will ask z3 over a pipe, which is slower" >&2
  exit 0
}
command -v make >/dev/null || skip "make is missing"
command -v g++ >/dev/null || skip "g++ is missing"
[ -f /usr/include/symfpu/core/operations.h ] || skip "SymFPU's headers are missing"
echo '#include <gmpxx.h>' | g++ -x c++ -fsyntax-only - 2>/dev/null || skip "GMP's headers are missing"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Puts the archive's content into the folder NAME of the work folder.
unpack() { # PACKAGE SHA256 NAME
  local archive
  # The client keeps what it shows; its exit code says nothing about that.
  (cd / && timeout 300 cargo info -q "$1") >/dev/null 2>&1 || true
  archive=$(compgen -G "${CARGO_HOME:-$HOME/.cargo}/registry/cache/*/${1/@/-}.crate" | head -n 1) || skip "cargo could not fetch $1"
  echo "$2  $archive" | sha256sum --check --status || {
    echo "setup: the archive of $1 has an unexpected checksum; not used" >&2
    exit 1
  }
  mkdir "$work/$3"
  tar -xzf "$archive" -C "$work/$3" --strip-components=1
}
echo "setup: building Bitwuzla (once; a few minutes)" >&2
unpack "$solver" "$solver_sha256" solver
unpack "$sat" "$sat_sha256" sat

make --silent --file="$root/crates/bitwuzla/native/Makefile" --directory="$work" -j"$(nproc)" >&2 || skip "compiling it failed"
mkdir -p "$vendor"
cp "$work/libbitwuzla.a" "$vendor/"
cp "$work/solver/bitwuzla/COPYING" "$vendor/bitwuzla-license.txt"
cp "$work/sat/cppsrc/LICENSE" "$vendor/cadical-license.txt"
echo "$stamp" >"$vendor/stamp"
