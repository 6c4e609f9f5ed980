//! The ways to build a version, told from the names of its files alone.

use super::How;
use crate::config::Config;

/// The ways to build a version, the likeliest first: when one compiles nothing, the next is tried. A makefile that is there is what its
/// authors use; a `configure` that has to be made first, or a meson file that wants to download, needs more than the version brings.
pub(super) fn ways(has: &dyn Fn(&str) -> bool, fetches: bool, config: &Config) -> Vec<How> {
    if config.build.command.is_some() {
        return vec![How::Config];
    }
    let autoconf = has("configure.ac") || has("configure.in");
    let make = has("GNUmakefile") || has("makefile") || has("Makefile");
    let ways = [
        (has("CMakeLists.txt"), How::Cmake),
        (has("meson.build") && !(fetches && make), How::Meson),
        (has("configure"), How::Autotools),
        (make, How::Make),
        (autoconf && !has("configure"), How::Autotools),
        (has("meson.build") && fetches && make, How::Meson),
    ];
    ways.into_iter().filter_map(|(there, how)| there.then_some(how)).collect()
}

/// The way that [`super::plan`] tries first for a version with these files.
pub fn expected(has: &dyn Fn(&str) -> bool, fetches: bool, config: &Config) -> How {
    if config.build.command.is_none() {
        if !config.build.sources.is_empty() {
            return How::Config;
        }
        if has("compile_commands.json") {
            return How::CompileCommands;
        }
    }
    ways(has, fetches, config).first().copied().unwrap_or(How::Sources)
}

/// Whether a file tells that meson may want to download subprojects.
pub fn is_wrap(path: &[u8]) -> bool {
    path.starts_with(b"subprojects/") && path.ends_with(b".wrap")
}
