//! What must hold of every answer, on random programs with one wrong statement; and how often that statement is found.
//!
//! `HYDROGEN_MUTANTS=N` tries that many of each kind instead of a few.

use super::mutants::{Mistake, Mutant, mutant};
use super::support::{ask_as_long, ask_at, program};
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Monitor, Program, Site, Step, World};
use hydrogen_pair::{Ending, Observable, Outcome};
use hydrogen_testkit::generate::Style;
use hydrogen_why::{Alternate, Explanation, Mode, Side, Suspect};
use std::collections::BTreeMap;

fn inputs() -> impl Iterator<Item = Input> {
    (0..32i32).map(|bits| {
        let named = [("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)];
        let named = named.map(|(name, value)| (name.into(), value.to_le_bytes().to_vec()));
        Input { named: named.into_iter().collect(), ..Input::default() }
    })
}

fn world(entry: &str) -> World {
    let mut world = World::default();
    world.entry = entry.to_owned();
    world
}

/// Where branches go.
#[derive(Default)]
struct Ways(Option<Site>, Vec<(Site, u32)>);

impl Monitor for Ways {
    fn step(&mut self, step: Step<'_>) {
        self.0 = Some(step.site);
    }

    fn branch(&mut self, target: u32) {
        self.1.extend(self.0.map(|site| (site, target)));
    }
}

fn run(program: &Program, entry: &str, input: &Input) -> (Vec<(Site, u32)>, Outcome) {
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let run = program.run_with(world(entry).with_input(input), limits, Ways::default());
    (run.monitor.1, Outcome::of(&run.end, &run.world, None))
}

/// The first input with which the two programs give something else.
fn failing(old: &Program, new: &Program, entry: &str) -> Option<Input> {
    inputs().find(|input| {
        let (one, two) = (run(old, entry, input).1, run(new, entry, input).1);
        one.is_whole() && two.is_whole() && !one.same(&two, &Observable::usual())
    })
}

/// One version goes the same way, the other another way at exactly that branch first; and who passes gives the same.
fn check_alternate(old: &Program, new: &Program, mutant: &Mutant, given: &Input, one: &Alternate) {
    let (own, other) = if one.side == Side::Old { (old, new) } else { (new, old) };
    assert_eq!(run(other, &mutant.entry, given).0, run(other, &mutant.entry, &one.input).0, "{}", mutant.new);
    let ((before, outcome), (now, _)) = (run(own, &mutant.entry, given), run(own, &mutant.entry, &one.input));
    match before.iter().zip(&now).position(|(a, b)| a != b) {
        Some(parting) => {
            let at = before[parting].0;
            assert_eq!((at.function.0, at.pc), one.site, "{}", mutant.new);
            assert_eq!(before[parting].0, now[parting].0, "{}", mutant.new);
        }
        // A fault ends a run on its way; without it, the run goes on.
        None => assert!(matches!(outcome.ending, Ending::Fault(..)), "it goes another way: {}", mutant.new),
    }
    check_passes(old, new, mutant, one);
}

/// Who is said to pass gives the same in both versions.
fn check_passes(old: &Program, new: &Program, mutant: &Mutant, one: &Alternate) {
    let outcomes = [old, new].map(|program| run(program, &mutant.entry, &one.input).1);
    assert_eq!(one.passes, Some(outcomes[0].same(&outcomes[1], &Observable::usual())), "{}", mutant.new);
}

/// What is asked of each version, without the inputs.
fn shape(found: &Explanation, mirrored: bool) -> Vec<(bool, u32, usize)> {
    let alternates = found.suspects.iter().flat_map(|suspect| &suspect.alternates);
    let mut all: Vec<_> =
        alternates.map(|one| ((one.side == Side::Old) != mirrored, one.spot.line, one.nth)).collect();
    all.sort_unstable();
    all
}

fn is_about(suspect: &Suspect, mutant: &Mutant) -> bool {
    let spots = [Some(&suspect.spot), suspect.counterpart.spot()];
    spots.into_iter().flatten().any(|spot| mutant.lines.contains(&spot.line))
}

fn how_many() -> usize {
    std::env::var("HYDROGEN_MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
}

#[test]
fn mistakes_are_found() {
    let given = Symbolic::default();
    let mut table: BTreeMap<Mistake, [usize; 5]> = BTreeMap::new();
    for mistake in Mistake::ALL {
        let styles = [Style::Scalars, Style::Calls, Style::Memory, Style::Whole];
        let mut done = 0;
        for number in 0u64.. {
            if done >= how_many() || number > 400 + 40 * how_many() as u64 {
                break;
            }
            let style = styles[(number % 4) as usize];
            let Some(mutant) = mutant(number, style, mistake) else { continue };
            let (Some(old), Some(new)) = (program(&mutant.old), program(&mutant.new)) else { return };
            let Some(input) = failing(&old, &new, &mutant.entry) else { continue };
            done += 1;
            let given = (input, given.clone());
            let found = ask_at(&old, &new, &given, Mode::Relevant, &mutant.entry);
            let all: Vec<&Suspect> = found.suspects.iter().chain(&found.others).collect();
            let rank = all.iter().position(|suspect| is_about(suspect, &mutant));
            let row = table.entry(mistake).or_default();
            row[0] += 1;
            row[1] += usize::from(rank == Some(0));
            row[2] += usize::from(rank.is_some_and(|rank| rank < 3));
            row[3] += usize::from(rank.is_some());
            let as_long = ask_as_long(&old, &new, &given, &mutant.entry);
            let first = |found: &Explanation| found.suspects.first().map(|suspect| suspect.spot.line);
            row[4] += usize::from(first(&as_long) == first(&found));
            for one in as_long.suspects.iter().flat_map(|suspect| &suspect.alternates) {
                check_passes(&old, &new, &mutant, one);
            }
            if rank != Some(0) {
                println!("{mistake:?} {number} {style:?} {:?}: rank {rank:?}", mutant.lines);
            }
            if number % 3 == 0 {
                let by_path = ask_at(&old, &new, &given, Mode::Path, &mutant.entry);
                for one in by_path.suspects.iter().flat_map(|suspect| &suspect.alternates) {
                    check_alternate(&old, &new, &mutant, &given.0, one);
                }
                let mirrored = ask_at(&new, &old, &given, Mode::Path, &mutant.entry);
                assert_eq!(shape(&by_path, false), shape(&mirrored, true), "{}", mutant.new);
            }
        }
    }
    let mut sum = [0; 5];
    println!("{:<10}{:>8}{:>8}{:>8}{:>8}{:>8}", "mistake", "all", "rank 1", "rank 3", "found", "as long");
    for (mistake, row) in &table {
        let [all, first, three, found, as_long] = row;
        println!("{:<10}{all:>8}{first:>8}{three:>8}{found:>8}{as_long:>8}", format!("{mistake:?}"));
        row.iter().zip(&mut sum).for_each(|(one, all)| *all += one);
    }
    let percent = |number: usize| 100 * sum[number] / sum[0].max(1);
    let [first, three, found, as_long] = [1, 2, 3, 4].map(percent);
    println!("{:<10}{:>8}{first:>7}%{three:>7}%{found:>7}%{as_long:>7}%", "all", sum[0]);
    assert!(sum[0] >= 5 * how_many() / 2, "there are mutants");
    assert!(first >= 70 && three >= 90 && found >= 98, "{sum:?}");
    // What is left out of long runs seldom matters.
    assert!(as_long >= 90, "{sum:?}");
}
