#!/usr/bin/env bash
# Installs from Debian's packages what is missing to build and test Hydrogen; does nothing when all is there. With --least
# only what the programs themselves need: no Bitwuzla, which takes minutes to build the first time (the commands then ask
# z3), no browser, and none of the tools that tests and other people's builds use. Words behind it are a command that is
# run while packages are installed; whether it succeeds does not matter.
set -euo pipefail
least=${1:-}
meanwhile=("${@:2}")

packages=(
  # The front end: clang, LLVM and libclang 19 with their headers.
  clang-19 llvm-19-dev libclang-19-dev libclang-cpp19-dev libclang-common-19-dev
  # What the build itself needs.
  g++ make git pkg-config libzstd-dev zlib1g-dev libxml2-dev libffi-dev
  # The solver that is a program.
  z3
)
[ "$least" = --least ] || packages+=(
  # What Bitwuzla is built with.
  libgmp-dev libsymfpu-dev
  # What projects under analysis are built with.
  cmake meson ninja-build autoconf automake libtool
  # Random C programs and graph pictures for the tests.
  csmith libcsmith-dev graphviz
  # A C library to compare interpreted programs with.
  musl-dev
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done

install() {
  echo "setup: installing $*" >&2
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root, or install: $*" >&2; return 1; }
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$@" >&2
}

command -v cargo >/dev/null || { echo "setup: Rust is missing; install rustup first" >&2; exit 1; }

# Part of the pages that programs are compiled with.
"$(dirname "$0")/vendor-elk.sh"

if [ ${#missing[@]} -gt 0 ]; then
  if [ ${#meanwhile[@]} -gt 0 ] && command -v cc >/dev/null; then
    "${meanwhile[@]}" &
    begun=$!
    install "${missing[@]}"
    wait "$begun" || echo "setup: what was begun meanwhile is done again later" >&2
  else
    install "${missing[@]}"
  fi
fi

# A browser for the tests of the HTML picture, which say so when they skip: not worth failing for where the package has
# another name.
[ "$least" = --least ] || command -v chromium >/dev/null || install chromium ||
  echo "setup: no chromium: the browser tests will skip" >&2

[ "$least" = --least ] || "$(dirname "$0")/vendor-bitwuzla.sh"
"$(dirname "$0")/musl.sh"
