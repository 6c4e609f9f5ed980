//! Links the library that `scripts/vendor-bitwuzla.sh` has built. Where it is not there, or `HYDROGEN_NO_BITWUZLA` is set, the
//! crate is built without it and says so at run time.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=HYDROGEN_NO_BITWUZLA");
    println!("cargo:rerun-if-changed=build.rs");
    let crate_folder =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the folder of the crate"));
    let vendor = crate_folder.join("../../vendor/bitwuzla");
    let library = vendor.join("libbitwuzla.a");
    // The folder is watched, so that the library is found once it has been built. A missing folder would count as changed every time;
    // where it cannot be made, that is all that happens.
    let _ = fs::create_dir_all(&vendor);
    println!("cargo:rerun-if-changed={}", vendor.display());
    if env::var_os("HYDROGEN_NO_BITWUZLA").is_some() || !library.is_file() {
        return;
    }
    println!("cargo:rustc-cfg=bitwuzla");
    println!("cargo:rustc-link-search=native={}", vendor.display());
    println!("cargo:rustc-link-lib=static=bitwuzla");
    println!("cargo:rustc-link-lib=gmp");
    println!("cargo:rustc-link-lib=stdc++");
}
