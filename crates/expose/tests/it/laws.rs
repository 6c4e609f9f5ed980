//! What must hold for every pair of programs (INV-X1 to INV-X3), tried on random programs with random edits.

use super::support::{input, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_expose::{Ended, Search, Shape};
use hydrogen_machine::{Program, World};
use hydrogen_pair::{Observable, Outcome};
use hydrogen_testkit::generate::{PRELUDE, Random, Style, program as generate};

/// Pairs of texts of which one is changed into the other.
const EDITS: [(&str, &str); 12] = [
    (" + ", " - "),
    (" - ", " + "),
    (" < ", " <= "),
    (" > ", " >= "),
    (" == ", " != "),
    (" != ", " == "),
    (" 1", " 2"),
    (" 2", " 3"),
    (" a", " b"),
    (" u", " v"),
    ("w = ", "v = "),
    ("break;", ";"),
];

/// The text with up to three edits at random places, behind the declarations.
fn edited(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..3 {
        let begin = text.rfind("gz.m = 0;").map_or(0, |at| at + 9);
        let (from, to) = EDITS[random.below(EDITS.len() as u64) as usize];
        let places: Vec<usize> = text[begin..].match_indices(from).map(|(at, _)| begin + at).collect();
        if !places.is_empty() {
            let at = places[random.below(places.len() as u64) as usize];
            text = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
        }
    }
    text
}

fn outcome(program: &Program, world: &World, input: &Input) -> Outcome {
    let run = program.run(world.with_input(input), options().limits);
    Outcome::of(&run.end, &run.world, None)
}

fn inputs() -> Vec<Input> {
    (0..32).map(|bits: i32| input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)])).collect()
}

/// An input that is given out differs (X1), by a run that executed a change (X2), and there is a way to what came out (X5); where every input is said to be seen, none differs, and so for a
/// program and itself (X3).
fn check(style: Style) {
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let (from, to) = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "8"));
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let mut counts = [0; 3];
    for number in from..to {
        let mut random = Random::new(number.wrapping_mul(77) + 5);
        let text = generate(number, style);
        let other = edited(&text, &mut random);
        let (old, new) = (program(&format!("{PRELUDE}{text}")), program(&format!("{PRELUDE}{other}")));
        let mut world = World::default();
        world.entry = format!("p{number}");
        let shapes = vec![Shape { world: world.clone(), symbolic: Symbolic::default(), open: false }];
        let mut options = options();
        options.runs = 150;
        let mut search = Search::new([&old, &new], shapes, &options);
        let first = inputs().remove(0);
        let ended = match search.start(0, first) {
            Some(found) => Ended::Found(found),
            None => search.search(usize::MAX),
        };
        let differs = |input: &Input| {
            let (one, two) = (outcome(&old, &world, input), outcome(&new, &world, input));
            one.is_whole() && two.is_whole() && !one.same(&two, &Observable::usual())
        };
        match ended {
            Ended::Found(found) => {
                counts[0] += 1;
                assert!(differs(&found.input), "{number}: {:?}\n{text}\n{other}", found.input);
                let changed = |ran: &hydrogen_pair::Ran| {
                    ran.instances.all.iter().any(|it| search.changes.contains(it.node))
                };
                assert!(found.runs.iter().any(changed), "{number}: no change was executed\n{text}\n{other}");
                let way = search.way(&found);
                assert!(!way.points.is_empty(), "{number}: nothing leads to what came out\n{text}\n{other}");
            }
            Ended::Exhausted if search.statistics.is_complete() => {
                counts[1] += 1;
                let missed = inputs().into_iter().find(|input| differs(input));
                assert_eq!(missed, None, "{number}: {:?}\n{text}\n{other}", search.statistics);
            }
            _ => counts[2] += 1,
        }
    }
    println!("{counts:?} differ, are the same, are open");
    assert!(counts[0] + counts[1] > 0);
}

#[test]
fn scalars() {
    check(Style::Scalars);
}

#[test]
fn memory() {
    check(Style::Memory);
}

#[test]
fn calls() {
    check(Style::Calls);
}

#[test]
fn jumps() {
    check(Style::Jumps);
}

#[test]
fn indices() {
    check(Style::Indices);
}
