//! The software formats against the host's, and every rule about what is no number.

use hydrogen_float::{
    Arithmetic, Format, Rounding, arithmetic, class, compare, convert, from_int, fused, round, sqrt, to_int,
};
use proptest::prelude::*;

/// Numbers of every kind, corner cases often.
fn doubles() -> impl Strategy<Value = u64> {
    let corners = [
        0.0f64,
        -0.0,
        1.0,
        -1.5,
        0.1,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        4503599627370495.5,
        9007199254740993.0,
        2147483647.5,
        -2147483648.9,
        1e19,
    ];
    prop_oneof![
        any::<u64>(),
        (0..corners.len()).prop_map(move |index| corners[index].to_bits()),
        any::<i32>().prop_map(|number| f64::from(number).to_bits()),
        (any::<i16>(), 0..8u32).prop_map(|(number, by)| (f64::from(number) / f64::from(1 << by)).to_bits()),
        any::<u64>().prop_map(|payload| 0x7ff0_0000_0000_0000 | payload >> 12 | payload << 63),
    ]
}

/// Equal, or both no number.
fn same(a: f64, bits: u128) -> bool {
    let b = f64::from_bits(bits as u64);
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doubles_are_the_hosts(a in doubles(), b in doubles(), c in doubles()) {
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let (a, b, c) = (u128::from(a), u128::from(b), u128::from(c));
        let d = Format::Double;
        prop_assert!(same(x + y, arithmetic(Arithmetic::Add, d, a, b)));
        prop_assert!(same(x - y, arithmetic(Arithmetic::Sub, d, a, b)));
        prop_assert!(same(x * y, arithmetic(Arithmetic::Mul, d, a, b)));
        prop_assert!(same(x / y, arithmetic(Arithmetic::Div, d, a, b)));
        prop_assert!(same(x % y, arithmetic(Arithmetic::Rem, d, a, b)));
        prop_assert!(same(x.mul_add(y, z), fused(d, a, b, c)));
        prop_assert!(same(x.sqrt(), sqrt(d, a).expect("doubles have roots")));
        prop_assert!(same(x.floor(), round(d, Rounding::Down, a)));
        prop_assert!(same(x.ceil(), round(d, Rounding::Up, a)));
        prop_assert!(same(x.trunc(), round(d, Rounding::TowardZero, a)));
        prop_assert!(same(x.round(), round(d, Rounding::NearestAway, a)));
        prop_assert!(same(x.round_ties_even(), round(d, Rounding::NearestEven, a)));
        prop_assert_eq!(x.partial_cmp(&y), compare(d, a, b));
        let fits = |low: f64, high: f64| x.trunc() >= low && x.trunc() < high;
        prop_assert_eq!(to_int(d, true, 32, a), fits(-2147483648.0, 2147483648.0).then_some(x as i32 as u32 as u128));
        prop_assert_eq!(to_int(d, false, 8, a), fits(0.0, 256.0).then_some(x as u8 as u128));
        prop_assert_eq!(to_int(d, false, 64, a), fits(0.0, 18446744073709551616.0).then_some(x as u64 as u128));
        prop_assert!(same(f64::from(x as f32), convert(Format::Single, d, convert(d, Format::Single, a))));
    }

    #[test]
    fn what_is_no_number_comes_from_the_first_operand(a in any::<u64>(), b in doubles(), index in 0..4usize) {
        let format = [Format::Half, Format::BFloat, Format::Single, Format::Double][index];
        let low = |bits: u64| u128::from(bits) & u128::MAX >> (128 - format.width());
        let (a, b) = (low(a), low(b));
        for op in [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div, Arithmetic::Rem] {
            let result = arithmetic(op, format, a, b);
            let expected = match (format.is_nan(a), format.is_nan(b)) {
                (true, _) => a | format.quiet_bit(),
                (_, true) => b | format.quiet_bit(),
                _ => format.default_nan(),
            };
            prop_assert!(!format.is_nan(result) || result == expected);
            prop_assert!(format.is_nan(result) || !(format.is_nan(a) || format.is_nan(b)));
        }
    }

    #[test]
    fn conversion_keeps_sign_and_upper_payload(bits in any::<u64>()) {
        let (single, double) = (Format::Single, Format::Double);
        let nan = u128::from(bits) | double.infinity();
        prop_assume!(double.is_nan(nan));
        let expected = nan >> 63 << 31 | single.infinity() | nan >> 29 & 0x7f_ffff | single.quiet_bit();
        prop_assert_eq!(convert(double, single, nan), expected);
    }

    #[test]
    fn integers_become_the_nearest_number(value in any::<i64>()) {
        prop_assert_eq!(from_int(Format::Double, true, i128::from(value) as u128), u128::from((value as f64).to_bits()));
        prop_assert_eq!(from_int(Format::Single, false, value as u64 as u128), u128::from((value as u64 as f32).to_bits()));
    }
}

/// All numbers of 16 bits: through the host's wider arithmetic, which is exact enough for one rounding.
#[test]
fn halves_round_once() {
    let half = Format::Half;
    let wide = |bits: u128| f64::from_bits(convert(half, Format::Double, bits) as u64);
    let narrow = |value: f64| convert(Format::Double, half, u128::from(value.to_bits()));
    for a in 0..1u128 << 16 {
        if half.is_nan(a) {
            assert!(wide(a).is_nan() && class(half, a) < 3);
            continue;
        }
        let b = (a * 40503 + 12345) & 0xffff;
        let root = sqrt(half, a).expect("halves have roots");
        assert!(half.is_nan(root) == wide(a).sqrt().is_nan());
        if !half.is_nan(root) {
            assert_eq!(root, narrow(wide(a).sqrt()));
        }
        let sum = arithmetic(Arithmetic::Add, half, a, b);
        if !half.is_nan(sum) {
            assert_eq!(sum, narrow(wide(a) + wide(b)));
        }
    }
}
