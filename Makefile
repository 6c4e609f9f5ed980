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
	@scripts/setup.sh --least
	cargo build --release $(parts)

# The main job on the bundled example history, in a profile that builds quickest. What needs nothing that is installed is
# built while the rest is installed.
demo:
	@scripts/setup.sh --least cargo build --profile glance --package hydrogen --package hydrogen-history --package hydrogen-jail
	cargo build --profile glance $(parts)
	@HYDROGEN_PROFILE=glance scripts/demo.sh

# Programs and tests in one go: apart, the libraries that tests use with other features would be built twice.
test: setup
	cargo build --workspace --bins --tests
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
