#!/usr/bin/env bash
# Makes a tarball and a Debian package in target/package from what is built.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${CARGO_TARGET_DIR:-$root/target}/package
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
name=hydrogen-$version-$(uname -m)
rm -rf "$out"
mkdir -p "$out"

PREFIX=/$name DESTDIR=$out "$root/scripts/install.sh"
tar --create --gzip --owner=0 --group=0 --file "$out/$name.tar.gz" --directory "$out" "$name"

if command -v dpkg-deb >/dev/null; then
  stage=$out/stage
  mkdir -p "$stage/DEBIAN"
  PREFIX=/usr DESTDIR=$stage "$root/scripts/install.sh"
  cat >"$stage/DEBIAN/control" <<CONTROL
Package: hydrogen
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The Hydrogen maintainers <hydrogen@localhost>
Depends: libclang-cpp19, libclang1-19, libllvm19, libclang-common-19-dev, libgmp10, libstdc++6
Recommends: clang-19, z3, make
Suggests: cmake, ninja-build, meson, musl-dev
Section: devel
Priority: optional
Description: what did this change do?
 Hydrogen tells people who maintain C programs what a change did: it reads
 many versions straight from git and answers with evidence.
CONTROL
  dpkg-deb --root-owner-group --build "$stage" "$out/$name.deb" >/dev/null
  rm -rf "$stage"
fi
ls -l "$out"/*.tar.gz "$out"/*.deb 2>/dev/null
