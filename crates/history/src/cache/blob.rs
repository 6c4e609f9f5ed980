//! A value as a file: a header, a checksum, and the compressed bytes.

const MAGIC: &[u8; 4] = b"H2C1";
const HEADER: usize = 4 + 1 + 8 + 32;
const RAW: u8 = 0;
const LZ4: u8 = 1;

/// The bytes of the file for a value. `name` goes into the checksum, so that a file in the wrong place is damaged.
pub(super) fn encode(name: &[u8], value: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress(value);
    let (method, body) = if packed.len() < value.len() { (LZ4, packed.as_slice()) } else { (RAW, value) };
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.push(method);
    file.extend_from_slice(&(value.len() as u64).to_le_bytes());
    let checksum = checksum(name, &file, body);
    file.extend_from_slice(&checksum);
    file.extend_from_slice(body);
    file
}

/// The value of a file; nothing when the file is not exactly what was written.
pub(super) fn decode(name: &[u8], mut file: Vec<u8>) -> Option<Vec<u8>> {
    let (header, rest) = file.split_at_checked(HEADER - 32)?;
    let (expect, body) = rest.split_at_checked(32)?;
    if &header[..4] != MAGIC || checksum(name, header, body) != expect {
        return None;
    }
    let length = usize::try_from(u64::from_le_bytes(header[5..13].try_into().ok()?)).ok()?;
    match header[4] {
        RAW if length == body.len() => {
            file.drain(..HEADER);
            Some(file)
        }
        LZ4 => lz4_flex::block::decompress(body, length).ok().filter(|value| value.len() == length),
        _ => None,
    }
}

fn checksum(name: &[u8], header: &[u8], body: &[u8]) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(&(name.len() as u64).to_le_bytes());
    hash.update(name);
    hash.update(header);
    hash.update(body);
    *hash.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(value in proptest::collection::vec(0u8..4, 0..2000)) {
            assert_eq!(decode(b"n", encode(b"n", &value)), Some(value));
        }

        #[test]
        fn every_damage_is_seen(value in proptest::collection::vec(any::<u8>(), 0..100), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let file = encode(b"n", &value);
            let mut damaged = file.clone();
            let at = at.index(file.len());
            damaged[at] ^= 1 << bit;
            assert_eq!(decode(b"n", damaged), None);
            assert_eq!(decode(b"n", file[..at].to_vec()), None);
            assert_eq!(decode(b"other", file), None);
        }
    }
}
