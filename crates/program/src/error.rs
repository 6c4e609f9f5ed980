//! Why a program cannot be made or run.

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{what}: {source}")]
    Io {
        /// The file, or what was tried.
        what: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file that the user named is not there.
    #[error("{0} does not exist")]
    Missing(String),
    /// The compiler's child does not answer, or does not like the source.
    #[error(transparent)]
    Compiler(#[from] hydrogen_frontend::Error),
    /// A model cannot be read back.
    #[error(transparent)]
    Model(#[from] hydrogen_ir::DecodeError),
    /// The C library cannot be compiled.
    #[error("the C library cannot be prepared: {0}")]
    Library(#[from] hydrogen_machine::BuildError),
    /// The models of a version cannot be had.
    #[error(transparent)]
    Version(#[from] hydrogen_model::Error),
    /// No unit of the version compiles.
    #[error("{version} has no unit that compiles{why}")]
    Empty {
        /// The version.
        version: String,
        /// The first reason, if there is one.
        why: String,
    },
    /// The entry point is in no unit.
    #[error("no unit defines `{0}`; name another entry point with --entry")]
    NoEntry(String),
    /// The entry point is in several units.
    #[error("several units define `{entry}`: choose one with --unit: {units}")]
    SeveralEntries {
        /// The entry point.
        entry: String,
        /// The units.
        units: String,
    },
    /// The unit that was chosen is none with the entry point, or it is several.
    #[error("`--unit {unit}` names {found} of the units with `{entry}`: {units}")]
    WrongUnit {
        /// What was chosen.
        unit: String,
        /// How many it names.
        found: usize,
        /// The entry point.
        entry: String,
        /// The units with it.
        units: String,
    },
    /// A foreign process cannot be started in its confinement.
    #[error(transparent)]
    Jail(#[from] hydrogen_jail::Error),
    /// The host's compiler refuses the program.
    #[error("the program does not build natively: {0}")]
    NotNative(String),
    /// There is nothing that the host's compiler could read.
    #[error("--native needs source; a bitcode file has none")]
    NoSource,
    /// No command of the version compiles a unit.
    #[error("it is not known how {0} is compiled")]
    UnknownCommand(String),
    /// A function cannot be called with what is given.
    #[error("{0}")]
    Arguments(String),
    /// A thread ended early.
    #[error("a thread failed")]
    Thread,
}

/// Says what was tried when the system refused it.
pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
    let what = what.into();
    move |source| Error::Io { what, source }
}
