//! What a makefile says about its compiler.

use std::path::{Path, PathBuf};

use super::recorder::Recorder;
use super::{BuildOptions, Error};

/// The makefile that make would choose.
pub(super) fn find(folder: &Path) -> Option<PathBuf> {
    ["GNUmakefile", "makefile", "Makefile"].iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Whether the makefile builds nothing before somebody chose its options, as the kernel's and busybox's do: `make defconfig` chooses.
pub(super) fn wants_choices(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    (has("Kconfig") || has("Config.in") || has("Config.src")) && !has(".config")
}

/// What to add to make's command line so that the wrapper is called. Most makefiles call a compiler by a plain name,
/// which is found on the path; an absolute path or a computed name has to be overridden.
pub(super) fn overrides(
    (checkout, makefile): (&Path, &Path),
    recorder: &Recorder,
    options: &BuildOptions<'_>,
) -> Result<Vec<String>, Error> {
    let text = super::left::read(checkout, makefile).map_err(Error::io("read", makefile))?;
    let Some(value) = compiler(&String::from_utf8_lossy(&text)) else { return Ok(Vec::new()) };
    let name = value.split_whitespace().next().unwrap_or_default();
    let plain = !name.is_empty() && !name.contains(['/', '$', '`', '"', '\'']);
    if plain && (name.ends_with("cc") || name.contains("clang") || recorder.has(name)) {
        recorder.add(name, options)?;
        return Ok(Vec::new());
    }
    Ok(vec!["CC=cc".to_string()])
}

/// The last value that the makefile gives to `CC`, when it gives one.
fn compiler(text: &str) -> Option<String> {
    text.lines().rev().find_map(|line| {
        let rest = line.strip_prefix("CC").or_else(|| line.strip_prefix("export CC"))?.trim_start();
        let value = ["::=", ":=", "?=", "="].iter().find_map(|sign| rest.strip_prefix(sign))?;
        // `?=` does not replace the value of the environment, which is the wrapper.
        (!rest.starts_with('?')).then(|| value.split('#').next().unwrap_or_default().trim().to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::compiler;

    #[test]
    fn the_compiler_of_a_makefile_is_found() {
        assert_eq!(compiler("A = b\nCC = gcc -m32 # old\n"), Some("gcc -m32".into()));
        assert_eq!(compiler("CC:=/usr/bin/gcc\n"), Some("/usr/bin/gcc".into()));
        assert_eq!(compiler("CC ?= gcc\n"), None);
        assert_eq!(compiler("CCFLAGS = x\n\t$(CC) -c\n"), None);
    }
}
