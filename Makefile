.PHONY: setup build programs demo test lint install package smoke clean

# Installs what is missing; seconds when nothing is.
setup:
	@scripts/setup.sh

build: setup
	cargo build --release --workspace

# The programs alone.
parts = --package hydrogen --package hydrogen-lowering --package hydrogen-history --package hydrogen-jail

# Questions go to z3, a package; neither waits for Bitwuzla to be built, which is faster but optional.
programs:
	@scripts/setup.sh --without-solver
	cargo build --release $(parts)

# The main job on the bundled example history. Built as for the tests, which takes half the time and is used again there.
demo:
	@scripts/setup.sh --without-solver
	cargo build $(parts)
	@HYDROGEN_PROFILE=debug scripts/demo.sh

test: setup
	cargo build --workspace --bins
	@scripts/test.sh

lint: setup
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings

# The programs and their data below PREFIX (default /usr/local).
install: build
	@scripts/install.sh

# A tarball and a Debian package in target/package; smoke installs the tarball and runs it without the checkout.
package: build
	@scripts/package.sh

smoke: package
	@scripts/smoke.sh

clean:
	cargo clean
