#!/usr/bin/env bash
# Installs the programs and their data below PREFIX (default /usr/local); DESTDIR is put before it, for packages.
#
#   bin/hydrogen            a link; the programs find each other and their data from where they really are
#   lib/hydrogen/           the four programs
#   share/hydrogen/musl/    the C library that programs are interpreted with: headers, sources and its models
#   share/man, share/bash-completion, share/zsh, share/fish, share/doc
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${PREFIX:-/usr/local}
to=${DESTDIR:-}$prefix
built=${CARGO_TARGET_DIR:-$root/target}/${HYDROGEN_PROFILE:-release}

for program in hydrogen hydrogen-lower hydrogen-cc hydrogen-jail; do
  [ -x "$built/$program" ] || { echo "install: $program is not built; run make programs first" >&2; exit 1; }
done
mkdir -p "$to/bin" "$to/lib/hydrogen" "$to/share/hydrogen"
for program in hydrogen hydrogen-lower hydrogen-cc hydrogen-jail; do
  install -p -m 755 "$built/$program" "$to/lib/hydrogen/$program"
  # Times of packages are whole seconds, and the library's models are named by the time of the program that made them.
  touch -d "@$(stat -c %Y "$built/$program")" "$to/lib/hydrogen/$program"
done
ln -sfn ../lib/hydrogen/hydrogen "$to/bin/hydrogen"

if [ -f "$root/vendor/musl/ready" ]; then
  rm -rf "$to/share/hydrogen/musl"
  mkdir -p "$to/share/hydrogen/musl"
  cp -a "$root/vendor/musl/include" "$root/vendor/musl/source" "$root/vendor/musl/ready" "$root/vendor/musl/COPYRIGHT" "$to/share/hydrogen/musl/"
  # The first run makes the library's models; it is done here so that a reader of the folder never has to.
  printf 'int main(void) { return 0; }\n' >"$to/share/hydrogen/first.c"
  HYDROGEN_CACHE=$(mktemp -d) "$to/lib/hydrogen/hydrogen" --quiet run "$to/share/hydrogen/first.c"
  rm -f "$to/share/hydrogen/first.c" "$to/share/hydrogen/musl/lock"
else
  echo "install: the C library is missing (scripts/musl.sh): run, explore and slice will not work" >&2
fi

hydrogen=$to/lib/hydrogen/hydrogen
mkdir -p "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" "$to/share/fish/vendor_completions.d" \
  "$to/share/doc/hydrogen"
"$hydrogen" man "$to/share/man/man1"
"$hydrogen" completions bash >"$to/share/bash-completion/completions/hydrogen"
"$hydrogen" completions zsh >"$to/share/zsh/site-functions/_hydrogen"
"$hydrogen" completions fish >"$to/share/fish/vendor_completions.d/hydrogen.fish"
cp -a "$root/README.md" "$root/LICENSE" "$root/CHANGELOG.md" "$root/docs" "$root/examples" "$to/share/doc/hydrogen/"
echo "installed below $to" >&2
