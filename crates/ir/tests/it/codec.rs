//! The stored form.

use crate::{generate, rng::Rng};
use hydrogen_ir::{DecodeError, decode, encode, print, summarize, verify};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_stored_comes_back(seed: u64) {
        let module = generate::module(seed);
        prop_assert_eq!(decode(&encode(&module)).expect("own bytes are readable"), module);
    }

    #[test]
    fn damaged_bytes_never_panic(seed: u64) {
        let mut bytes = encode(&generate::module(seed));
        let mut rng = Rng::new(seed);
        for _ in 0..1 + rng.below(4) {
            let at = 8 + rng.below(bytes.len() - 8);
            bytes[at] = rng.next() as u8;
        }
        bytes.truncate(if rng.chance(30) { rng.below(bytes.len()) } else { bytes.len() });
        if let Ok(module) = decode(&bytes) {
            // Whatever could be read can be judged and printed; what is sound can be hashed.
            print(&module);
            if verify(&module).is_ok() {
                summarize(&module);
            }
        }
    }

    #[test]
    fn garbage_never_panics(bytes: Vec<u8>) {
        let _ = decode(&bytes);
        let mut headed = encode(&Default::default())[..8].to_vec();
        headed.extend(bytes);
        let _ = decode(&headed);
    }
}

#[test]
fn foreign_bytes_are_named() {
    assert_eq!(decode(b"BC\xc0\xde"), Err(DecodeError::NotAModule));
    assert_eq!(decode(b"BC\xc0\xde...."), Err(DecodeError::NotAModule));
    let mut bytes = encode(&Default::default());
    bytes[4] = 99;
    let error = decode(&bytes).expect_err("the version is unknown");
    assert_eq!(error.to_string(), "stored program model has format 99, this version reads 2");
    bytes[4] = 2;
    bytes.push(0);
    let error = decode(&bytes).expect_err("there is a byte too many");
    assert_eq!(error.to_string(), "damaged program model: 1 bytes too many");
}
