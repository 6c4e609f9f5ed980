.PHONY: setup build programs demo test lint install package smoke clean

# Installs what is missing; seconds when nothing is.
setup:
	@scripts/setup.sh

build: setup
	cargo build --release --workspace

# The programs alone. Questions go to z3, a package; the demo does not wait for Bitwuzla to be built, which is faster but optional.
programs:
	@scripts/setup.sh --without-solver
	cargo build --release --package hydrogen --package hydrogen-lowering --package hydrogen-history --package hydrogen-jail

# The main job on the bundled example history.
demo: programs
	@scripts/demo.sh

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
