//! Build-free mode reads any bytes without panicking, and gives well-formed modules.
#![no_main]

use hydrogen_syntax::{MacroEnv, Options, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let open = read("fuzz.c", source, &Options::default());
    assert!(hydrogen_ir::verify(&open.module).is_ok());
    let decided = read("fuzz.c", source, &Options { defined: Some(MacroEnv::new()), known: None });
    assert!(hydrogen_ir::verify(&decided.module).is_ok());
});
