//! How near a report of `why` comes to a known fault: its rank, the class of the answer (F-C25), and how much code is looked at until
//! it (F-C26).

use anyhow::Result;
use hydrogen_align::lcs;
use hydrogen_ir::{Callee, Function};
use hydrogen_machine::Program;
use hydrogen_why::{Counterpart, Explanation, Side, Spot, Suspect};
use std::collections::BTreeSet;
use std::path::Path;

/// Where a version is wrong: the lines that differ, of either side.
pub struct Fault {
    old: BTreeSet<u32>,
    new: BTreeSet<u32>,
    /// The lines of both files, without white space.
    text: [Vec<String>; 2],
    /// The same as they are written.
    written: [Vec<String>; 2],
}

impl Fault {
    /// The lines that differ between two files; white space does not count.
    pub fn of(old: &Path, new: &Path) -> Result<Self> {
        let read = |path: &Path| -> Result<Vec<String>> {
            let text = std::fs::read(path)?;
            Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
        };
        let written = [read(old)?, read(new)?];
        let text =
            [0, 1].map(|side| written[side].iter().map(|line| line.split_whitespace().collect()).collect());
        let [one, two]: &[Vec<String>; 2] = &text;
        let (mut left, mut right): (BTreeSet<usize>, BTreeSet<usize>) =
            ((0..one.len()).collect(), (0..two.len()).collect());
        let words = |lines: &'_ [String]| -> Vec<u64> { lines.iter().map(hashed).collect() };
        for (a, b) in lcs(&words(one), &words(two)) {
            left.remove(&a);
            right.remove(&b);
        }
        let number = |set: BTreeSet<usize>| set.into_iter().map(|at| at as u32 + 1).collect();
        Ok(Self { old: number(left), new: number(right), text, written })
    }

    /// How many lines the new version has, without empty ones.
    pub fn lines(&self) -> usize {
        self.text[1].iter().filter(|line| !line.is_empty()).count()
    }

    fn of_side(&self, side: Side) -> &BTreeSet<u32> {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    fn line(&self, side: Side, number: u32) -> &str {
        let lines = &self.text[usize::from(side == Side::New)];
        (number as usize).checked_sub(1).and_then(|at| lines.get(at)).map_or("", String::as_str)
    }

    /// The functions that a faulty line is in.
    fn functions<'p>(&self, side: Side, program: &'p Program) -> Vec<&'p Function> {
        let own = program.units().next().map_or(&[][..], |module| module.functions.as_slice());
        let inside = |function: &&Function| {
            function.span.as_ref().is_some_and(|span| {
                self.of_side(side).iter().any(|line| (span.start.line..=span.end.line).contains(line))
            })
        };
        own.iter().filter(inside).collect()
    }
}

fn hashed(text: &String) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn spots(suspect: &Suspect) -> impl Iterator<Item = &Spot> {
    [Some(&suspect.spot), suspect.counterpart.spot()].into_iter().flatten()
}

/// Whether a suspect is the fault: on its line, or by a definition that is on it, which the report names.
pub fn is_about(suspect: &Suspect, fault: &Fault) -> bool {
    // A statement of several lines begins on one of them.
    let near = |spot: &Spot| (0..4).any(|more| fault.of_side(spot.side).contains(&(spot.line + more)));
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_owned).collect()
    };
    let defined = || {
        let lines = fault.new.iter().filter_map(|number| fault.written[1].get(*number as usize - 1));
        let margin = lines.filter(|line| !line.starts_with(char::is_whitespace));
        let names: BTreeSet<String> = margin.flat_map(|line| words(line)).collect();
        words(&suspect.spot.text).iter().any(|word| {
            names.contains(word) && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        })
    };
    spots(suspect).any(near) || matches!(suspect.counterpart, Counterpart::Redefined(_)) && defined()
}

/// The rank of the faulty line, the class of the answer, and how many lines are looked at until it.
pub fn judged(
    found: &Explanation,
    fault: &Fault,
    programs: [&Program; 2],
) -> (Option<usize>, &'static str, usize) {
    let all: Vec<&Suspect> = found.suspects.iter().chain(&found.others).collect();
    if let Some(rank) = all.iter().position(|suspect| is_about(suspect, fault)) {
        return (Some(rank), "1", rank + 1);
    }
    let spots: Vec<&Spot> = all.iter().flat_map(|suspect| spots(suspect)).collect();
    let looks_like_it = |spot: &&Spot| {
        let own = fault.line(spot.side, spot.line);
        let same = |number: &u32| fault.line(spot.side, *number) == own;
        fault.of_side(spot.side).iter().any(same)
    };
    let faulty: Vec<&Function> = [Side::Old, Side::New]
        .into_iter()
        .zip(programs)
        .flat_map(|(side, program)| fault.functions(side, program))
        .collect();
    let calls = |function: &Function, name: &str| {
        function.calls.iter().any(|call| matches!(&call.callee, Callee::Direct(callee) if callee == name))
    };
    let near = |spot: &&Spot| {
        let module = programs[usize::from(spot.side == Side::New)].units().next();
        let own = module.and_then(|module| module.functions.iter().find(|one| one.name == spot.function));
        faulty.iter().any(|one| calls(one, &spot.function) || own.is_some_and(|own| calls(own, &one.name)))
    };
    let class = match () {
        () if spots.iter().any(looks_like_it) => "1a",
        () if spots.iter().any(|spot| faulty.iter().any(|one| one.name == spot.function)) => "2",
        () if spots.iter().any(near) => "3",
        () => "4",
    };
    (None, class, fault.lines())
}
