//! Numbers as few bytes: seven bits each, the lowest first.

/// Appends a number.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads a number and moves on; 0 at the end of the bytes.
#[inline]
pub(crate) fn take(bytes: &[u8], at: &mut usize) -> u64 {
    let mut value = 0;
    let mut shift = 0;
    while let Some(byte) = bytes.get(*at) {
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    value
}

/// A signed number as an unsigned one: small ones stay small.
#[inline]
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The signed number again.
#[inline]
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(any::<i64>(), 0..20)) {
            let mut bytes = Vec::new();
            values.iter().for_each(|value| put(&mut bytes, zigzag(*value)));
            let mut at = 0;
            let back: Vec<i64> = values.iter().map(|_| unzigzag(take(&bytes, &mut at))).collect();
            prop_assert_eq!(&back, &values);
            prop_assert_eq!(at, bytes.len());
        }
    }
}
