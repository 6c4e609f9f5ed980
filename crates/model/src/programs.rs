//! Which units a build linked into which program.

use crate::record::UnitRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A program that the build linked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LinkedProgram {
    /// What people call it: the file's name, without folders.
    pub name: String,
    /// Its units, as positions among those of the version, in the order of the link.
    pub units: Vec<usize>,
    /// Whether everything that it was linked of is known. If not, other units may belong to it.
    pub whole: bool,
}

/// What a build linked of what.
type Links = [(String, Vec<String>)];

/// The programs among what was linked: neither archives nor shared libraries nor objects.
pub(crate) fn programs(links: &Links, units: &[UnitRecord]) -> Vec<LinkedProgram> {
    let outputs: BTreeSet<&str> = links.iter().map(|(output, _)| output.as_str()).collect();
    let is_program =
        |output: &&&str| !output.ends_with(".a") && !output.ends_with(".o") && **output == plain(output);
    outputs.iter().filter(is_program).filter_map(|output| one(output, links, units)).collect()
}

fn one(output: &str, links: &Links, units: &[UnitRecord]) -> Option<LinkedProgram> {
    // What was linked twice is the one or the other.
    let mut found =
        Found { whole: links.iter().filter(|link| link.0 == output).count() == 1, ..Found::default() };
    found.output(output, links, units);
    let name = output.rsplit('/').next().unwrap_or(output).to_owned();
    let Found { units, whole, .. } = found;
    (!units.is_empty()).then_some(LinkedProgram { name, units, whole })
}

#[derive(Default)]
struct Found<'l> {
    units: Vec<usize>,
    seen: BTreeSet<&'l str>,
    whole: bool,
}

impl<'l> Found<'l> {
    fn output(&mut self, output: &str, links: &'l Links, units: &[UnitRecord]) {
        let made = links.iter().filter(|link| plain(&link.0) == plain(output));
        for input in made.flat_map(|link| &link.1) {
            if self.seen.insert(input) {
                self.input(input, links, units);
            }
        }
    }

    fn input(&mut self, input: &'l str, links: &'l Links, units: &[UnitRecord]) {
        let unit = units.iter().position(|unit| unit.objects.iter().any(|object| object == input));
        match unit {
            Some(unit) if self.units.contains(&unit) => {}
            Some(unit) => self.units.push(unit),
            None if links.iter().any(|link| plain(&link.0) == plain(input)) => {
                self.output(input, links, units)
            }
            // A library of the system has no unit of the version.
            None => self.whole &= input.starts_with('/'),
        }
    }
}

/// A shared library without its version: others name it by a link to `libx.so.1.2`.
fn plain(output: &str) -> &str {
    let at = output.find(".so.").or_else(|| output.ends_with(".so").then(|| output.len() - 3));
    at.map_or(output, |at| &output[..at + 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(file: &str, objects: &[&str]) -> UnitRecord {
        let objects = objects.iter().map(|object| (*object).to_owned()).collect();
        UnitRecord { file: file.to_owned(), key: [0; 32], objects }
    }

    fn found(links: &[(&str, &[&str])]) -> Vec<String> {
        let units = [
            unit("a.c", &["a.o", ".libs/a.o"]),
            unit("b.c", &["b1.o"]),
            unit("b.c", &["b2.o"]),
            unit("main.c", &["main.o", "p/main.c"]),
        ];
        let owned = |link: &(&str, &[&str])| {
            (link.0.to_owned(), link.1.iter().map(|input| (*input).to_owned()).collect::<Vec<_>>())
        };
        let links: Vec<_> = links.iter().map(owned).collect();
        let show = |one: &LinkedProgram| format!("{} {:?} {}", one.name, one.units, one.whole);
        programs(&links, &units).iter().map(show).collect()
    }

    #[test]
    fn a_program_has_the_units_of_its_own_link() {
        assert_eq!(
            found(&[("bin/p", &["main.o", "b2.o"]), ("q", &["main.o", "b1.o"])]),
            ["p [3, 2] true", "q [3, 1] true"]
        );
        assert_eq!(
            found(&[("p", &["p/main.c", "libx.a", "/usr/lib/libz.a"]), ("libx.a", &["a.o", "b1.o"])]),
            ["p [3, 0, 1] true"]
        );
    }

    #[test]
    fn shared_libraries_go_by_other_names() {
        let links: &[(&str, &[&str])] =
            &[(".libs/p", &["main.o", ".libs/libx.so"]), (".libs/libx.so.1.0", &[".libs/a.o"])];
        assert_eq!(found(links), ["p [3, 0] true"]);
    }

    #[test]
    fn what_is_not_known_is_said() {
        assert_eq!(found(&[("p", &["main.o", "asm.o"])]), ["p [3] false"]);
        assert_eq!(found(&[("p", &["main.o"]), ("p", &["main.o", "a.o"])]), ["p [3, 0] false"]);
        assert_eq!(found(&[("p", &["nothing.o"])]), Vec::<String>::new());
    }
}
