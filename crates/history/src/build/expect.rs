//! How a version will be built, told from the names of its files alone.

use super::How;
use crate::config::Config;

/// The way that [`super::plan`] tries first for a version with these files at its root.
pub fn expected(has: &dyn Fn(&str) -> bool, config: &Config) -> How {
    if config.build.command.is_some() || !config.build.sources.is_empty() {
        return How::Config;
    }
    const SIGNS: [(&str, How); 9] = [
        ("compile_commands.json", How::CompileCommands),
        ("CMakeLists.txt", How::Cmake),
        ("meson.build", How::Meson),
        ("configure", How::Autotools),
        ("configure.ac", How::Autotools),
        ("configure.in", How::Autotools),
        ("GNUmakefile", How::Make),
        ("makefile", How::Make),
        ("Makefile", How::Make),
    ];
    SIGNS.iter().find(|(name, _)| has(name)).map_or(How::Sources, |(_, how)| *how)
}
