#!/usr/bin/env bash
# Fetches the C library that the machine interprets: musl, from Debian's source package, unpacked and with its headers made
# in vendor/musl (never committed). Quick when all is there; offline it says what is missing and goes on.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
home=$root/vendor/musl
[ -f "$home/ready" ] && exit 0

give_up() {
  echo "musl: $*; 'hydrogen run' will work only for programs without a C library" >&2
  # Tests that need it must not be skipped in continuous integration.
  [ -z "${CI:-}" ] || exit 1
  exit 0
}
for tool in apt-get tar sed make; do command -v "$tool" >/dev/null || give_up "$tool is missing"; done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{state/lists/partial,cache/archives/partial,source}

# The machine's own mirrors, with source lines instead of binary ones; the system's apt stays as it is.
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
  awk '$3 == "main" { print "deb-src " $1 " " $2 " main" }' | sort -u >"$work/sources.list"
[ -s "$work/sources.list" ] || give_up "apt has no package sources"
private=(-o "Dir::State=$work/state" -o "Dir::Cache=$work/cache" -o "Dir::Etc::SourceList=$work/sources.list"
  -o Dir::Etc::SourceParts=/dev/null -o Dir::State::status=/var/lib/dpkg/status -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0)
echo "musl: fetching the source package" >&2
apt-get "${private[@]}" update -qq >/dev/null 2>"$work/log" || true
(cd "$work/source" && apt-get "${private[@]}" source -qq --download-only musl >/dev/null 2>>"$work/log")
archive=$(find "$work/source" -name 'musl_*.orig.tar.*' ! -name '*.asc' | head -n 1)
[ -n "$archive" ] || give_up "the source package cannot be fetched: $(tail -n 1 "$work/log")"

rm -rf "$home"
mkdir -p "$home/source"
tar -xf "$archive" -C "$home/source" --strip-components 1 || give_up "the source package is damaged"
(cd "$home/source" && ./configure --target=x86_64 CC="${CC:-clang-19}" --disable-shared >/dev/null 2>"$work/log" &&
  make -s install-headers includedir="$home/include" obj/src/internal/version.h >/dev/null 2>>"$work/log") ||
  give_up "its headers cannot be made: $(tail -n 1 "$work/log")"
cp "$home/source/COPYRIGHT" "$home/"
sha256sum "$archive" | cut -d " " -f 1 >"$home/ready"
