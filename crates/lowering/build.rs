//! Builds the C++ shim against Debian's clang 19 and records where clang's own headers are.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let prefix =
        PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    println!("cargo:rerun-if-changed=shim");
    let flags = ask(&prefix.join("bin/llvm-config"), "--cxxflags");
    let mut shim = cc::Build::new();
    shim.cpp(true).warnings(false).flag("-std=c++17");
    for flag in flags.split_whitespace().filter(|flag| !flag.starts_with("-std=")) {
        shim.flag(flag);
    }
    // The shim is glue; the debug build's -O0 would only make the C++ templates slower to run and link.
    shim.opt_level(2).debug(false);
    for file in ["clang", "debug", "places", "values"] {
        shim.file(format!("shim/{file}.cpp"));
    }
    shim.compile("hydrogen_shim");
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    println!("cargo:rustc-link-lib=dylib=clang-cpp");
    println!("cargo:rustc-link-lib=dylib=LLVM-19");
    let clang = prefix.join("bin/clang");
    println!("cargo:rustc-env=HYDROGEN_CLANG={}", clang.display());
    println!("cargo:rustc-env=HYDROGEN_RESOURCE_DIR={}", ask(&clang, "-print-resource-dir"));
}

fn ask(program: &Path, question: &str) -> String {
    let output = Command::new(program).arg(question).output().unwrap_or_else(|error| {
        panic!(
            "cannot run {}: {error}. Install llvm-19-dev, clang-19 and libclang-cpp19-dev, \
             or set LLVM_SYS_191_PREFIX to the folder of LLVM 19.1",
            program.display()
        )
    });
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
