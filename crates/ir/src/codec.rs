//! The stored form of a module: small, quick, and safe to read from an untrusted file.

use crate::Module;

/// Marks the bytes as one of our modules.
const MAGIC: [u8; 4] = *b"H2IR";
/// Grows with every change of the model's types: old caches are then rejected, not misread.
pub const FORMAT_VERSION: u32 = 2;
const HEADER: usize = 8;

/// Why bytes are not a module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The magic bytes are missing.
    #[error("not a stored program model")]
    NotAModule,
    /// Another version of the tool wrote it.
    #[error("stored program model has format {found}, this version reads {FORMAT_VERSION}")]
    Version {
        /// The version in the header.
        found: u32,
    },
    /// The content is damaged.
    #[error("damaged program model: {0}")]
    Damaged(String),
}

/// The stored form of `module`.
pub fn encode(module: &Module) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 << 16);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    postcard::to_extend(module, bytes).expect("a module is plain data and memory grows as needed")
}

/// The module stored in `bytes`.
///
/// Garbage gives an error, never a panic. Ids inside may still point nowhere when the bytes were forged; call
/// [`crate::verify`] on what comes from elsewhere.
pub fn decode(bytes: &[u8]) -> Result<Module, DecodeError> {
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or(DecodeError::NotAModule)?;
    let (magic, version) = header.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(DecodeError::NotAModule);
    }
    let found = u32::from_le_bytes(version.try_into().expect("the header holds four bytes of version"));
    if found != FORMAT_VERSION {
        return Err(DecodeError::Version { found });
    }
    let (module, rest): (Module, _) =
        postcard::take_from_bytes(payload).map_err(|error| DecodeError::Damaged(error.to_string()))?;
    if !rest.is_empty() {
        return Err(DecodeError::Damaged(format!("{} bytes too many", rest.len())));
    }
    if !module.types.is_consistent() {
        return Err(DecodeError::Damaged("types and layouts differ in number".into()));
    }
    Ok(module)
}
