//! What the tool and its child program say to each other: postcard messages behind a length, over the child's
//! standard input and output.

use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// A question to the child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Run the preprocessor alone.
    Preprocess(Command),
    /// Compile, lower and attribute.
    Model(Command),
    /// Lower a `.bc` or `.ll` file.
    Bitcode(PathBuf),
}

/// A compile command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The version's root; paths below it are reported relative to it.
    pub root: PathBuf,
    /// Where the command runs.
    pub directory: PathBuf,
    /// The source file, absolute or relative to `directory`.
    pub file: PathBuf,
    /// The compiler's arguments, without the compiler, the file and the outputs.
    pub arguments: Vec<String>,
}

/// The child's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// To [`Request::Preprocess`].
    Preprocessed(Preprocessed),
    /// To [`Request::Model`] and [`Request::Bitcode`].
    Modelled(Modelled),
    /// Something in the input is wrong.
    Failed {
        /// What was being done.
        stage: Stage,
        /// The compiler's own words.
        message: String,
    },
}

/// The preprocessed unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preprocessed {
    /// The hash of the preprocessed text, which does not depend on where the version's root lies.
    pub hash: [u8; 32],
    /// Every file that was read, absolute, sorted.
    pub dependencies: Vec<PathBuf>,
}

/// The model of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modelled {
    /// The module, as `hydrogen_ir`'s codec writes it.
    pub module: Vec<u8>,
    /// The module's summary, postcard-encoded.
    pub summary: Vec<u8>,
    /// Every file that was read, absolute, sorted.
    pub dependencies: Vec<PathBuf>,
    /// Instructions that belong to no statement, and the like; for the ledger.
    pub warnings: Vec<String>,
}

/// What the child was doing when the input turned out wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Reading the file.
    Read,
    /// Preprocessing.
    Preprocess,
    /// Compiling.
    Compile,
    /// Making the model.
    Lower,
}

/// Messages larger than this are taken as garbage.
const LIMIT: u64 = 4 << 30;

/// Writes one message.
pub fn write<M: Serialize>(out: &mut impl Write, message: &M) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(&bytes)?;
    out.flush()
}

/// Reads one message; `None` at the end of the stream.
pub fn read<M: for<'a> Deserialize<'a>>(input: &mut impl Read) -> io::Result<Option<M>> {
    let mut length = [0; 8];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > LIMIT {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "message too long"));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
