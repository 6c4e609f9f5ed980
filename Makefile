.PHONY: setup build demo test lint bench clean

# Installs what is missing; seconds when nothing is.
setup:
	@scripts/setup.sh

build: setup
	cargo build --release --workspace

# The main job on the bundled example history.
demo: build
	@scripts/demo.sh

test: setup
	cargo build --workspace --bins
	@scripts/test.sh

lint: setup
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings

clean:
	cargo clean
