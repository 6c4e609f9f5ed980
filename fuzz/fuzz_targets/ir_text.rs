//! What parses can be judged, and printed so that it parses to the same module.
//! `cargo +nightly fuzz run ir_text`; the tests of `hydrogen-ir` hold a short run of the same property.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(module) = hydrogen_ir::parse(text) else { return };
    let _ = hydrogen_ir::verify(&module);
    let printed = hydrogen_ir::print(&module);
    assert_eq!(hydrogen_ir::parse(&printed).expect("what was printed parses"), module);
});
