//! What the tool and its child process `hydrogen-lower` say to each other.
//!
//! Each message is one frame: its length as four bytes, little end first, then the message in postcard's encoding.
//! The child answers requests in order until its standard input ends.

use bstr::BString;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// How one translation unit is compiled. Paths are bytes: file names need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The absolute folder in which the compiler runs.
    pub directory: BString,
    /// The absolute folder of the version; files inside are named relative to it.
    pub root: BString,
    /// The source file, as the arguments name it.
    pub file: BString,
    /// The command, the compiler's name first.
    pub arguments: Vec<BString>,
}

/// What the tool asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// The identity of a unit.
    Preprocess(Command),
    /// The model of a unit.
    Model(Command),
    /// The model of a `.bc` or `.ll` file.
    Bitcode {
        /// The file.
        path: BString,
        /// The folder that the files in its debug information are relative to.
        root: BString,
    },
}

/// What the child answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// To [`Request::Preprocess`].
    Preprocessed {
        /// Equal for units whose models are equal: covers the preprocessed text, the places of its tokens, the text
        /// of macro uses and the options; independent of where the version lies.
        hash: [u8; 32],
        /// The files that were read, absolute.
        dependencies: Vec<BString>,
    },
    /// To [`Request::Model`] and [`Request::Bitcode`].
    Modelled {
        /// The model, encoded.
        module: Vec<u8>,
        /// The summary, encoded.
        summary: Vec<u8>,
        /// The files that were read, absolute.
        dependencies: Vec<BString>,
        /// Options that clang did not understand and left out, one message per line.
        warnings: Vec<String>,
        /// Sizes and times.
        stats: Stats,
    },
    /// To any request.
    Failed {
        /// What was being done.
        stage: Stage,
        /// The reason; of a compilation, clang's own text.
        message: String,
    },
}

/// What was being done when a request failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Preprocessing.
    Preprocess,
    /// Compiling.
    Compile,
    /// Reading bitcode.
    Read,
    /// Lowering a module.
    Lower,
}

/// Sizes and times of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Functions, declarations included.
    pub functions: u64,
    /// Basic blocks.
    pub blocks: u64,
    /// Edges between basic blocks.
    pub edges: u64,
    /// Instructions.
    pub instructions: u64,
    /// Instructions of entries, exits and the spilling of parameters.
    pub synthetic: u64,
    /// Instructions that belong to no statement.
    pub unattributed: u64,
    /// Transitions of control between statements that the source does not show.
    pub unexplained: u64,
    /// Microseconds in clang or in reading bitcode.
    pub compile_us: u64,
    /// Microseconds in lowering.
    pub lower_us: u64,
    /// Microseconds in reading statements and attributing instructions to them.
    pub attribute_us: u64,
    /// Microseconds in encoding.
    pub encode_us: u64,
}

/// No frame is larger: a damaged length must not become a huge allocation.
const LIMIT: u32 = 1 << 30;

/// Writes one message.
pub fn write(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LIMIT);
    let length = length.ok_or_else(|| io::Error::other("the message is larger than a frame may be"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&bytes)?;
    out.flush()
}

/// Reads one message; `None` at the end of the input.
pub fn read<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    // An end before the first byte is the end of the conversation; one inside a frame is an error.
    match input.read(&mut length)? {
        0 => return Ok(None),
        n => input.read_exact(&mut length[n..])?,
    }
    let length = u32::from_le_bytes(length);
    if length > LIMIT {
        return Err(io::Error::other("the frame's length is not believable"));
    }
    let mut bytes = Vec::new();
    input.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_way() {
        let request = Request::Bitcode { path: "a b\n.bc".into(), root: "/".into() };
        let mut bytes = Vec::new();
        write(&mut bytes, &request).unwrap();
        write(&mut bytes, &request).unwrap();
        let mut input = bytes.as_slice();
        assert_eq!(read::<Request>(&mut input).unwrap(), Some(request.clone()));
        assert_eq!(read::<Request>(&mut input).unwrap(), Some(request));
        assert_eq!(read::<Request>(&mut input).unwrap(), None);
    }

    #[test]
    fn a_cut_frame_is_an_error() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Request::Bitcode { path: "x".into(), root: "/".into() }).unwrap();
        for end in 1..bytes.len() {
            assert!(read::<Request>(&mut &bytes[..end]).is_err(), "cut at {end}");
        }
        assert!(read::<Request>(&mut [0xff; 8].as_slice()).is_err());
    }
}
