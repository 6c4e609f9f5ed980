//! What must hold for every pair of programs (INV-X1 to INV-X6), tried on random programs with random edits.

use super::support::{input, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Kind, Symbolic};
use hydrogen_expose::{Class, Effects, Ended, Found, Search, Shape};
use hydrogen_machine::{Program, Site, World};
use hydrogen_pair::{Alignment, Node, Observable, Outcome, Ran, Setting};
use hydrogen_testkit::generate::{PRELUDE, Random, Style, program as generate};
use std::collections::BTreeSet;

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

/// The change-effect graphs of a difference: every statement is a change or follows from one, and has a reason to end where nothing follows from it
/// (X4); where the values differ that came out, the statement that gave them out is among them (X5).
fn effects(search: &Search<'_, '_>, found: &Found, about: &str) {
    let graphs = search.effects_of(&found.runs).unwrap();
    for graph in &graphs {
        let mut reached: BTreeSet<usize> =
            (0..graph.all.len()).filter(|at| graph.all[*at].point.changed).collect();
        loop {
            let next: BTreeSet<usize> =
                reached.iter().flat_map(|at| graph.all[*at].to.iter().copied()).collect();
            if next.is_subset(&reached) {
                break;
            }
            reached.extend(next);
        }
        for (at, effect) in graph.all.iter().enumerate() {
            assert!(reached.contains(&at), "{about}\nfollows from no change: {}", effect.point.text);
            assert!(
                !effect.to.is_empty() || !effect.stopped.is_empty() || effect.times > 1,
                "{about}\nends without a reason: {}",
                effect.point.text
            );
        }
    }
    let gave_out = |graph: &Effects| graph.all.iter().any(|one| one.point.text.contains("hydrogen_output"));
    if found.differences.iter().any(|one| one.observable == Observable::Named) {
        assert!(graphs.iter().any(gave_out), "{about}\nwhat came out is in no graph");
    }
}

/// What an execution of a `switch` decided: how many places it compared with, and the statement that it went to.
fn chain(search: &mut Search<'_, '_>, ran: &Ran, at: usize) -> (usize, Option<Node>) {
    let instance = ran.instances.all[at];
    let own = |step: u64| ran.instances.at_step(step).is_some_and(|it| it.step == instance.step);
    let conditions: Vec<_> =
        ran.seen.path.iter().filter(|one| one.kind == Kind::Branch && own(one.instance)).collect();
    let last = conditions.last().and_then(|one| Some(Site { pc: one.taken?, ..one.site }));
    (conditions.len(), last.and_then(|site| search.pair.nodes.at(ran.program, site)))
}

/// An input that was asked for to make a branch decide differently does so, where both versions come to the same execution of it (X6).
fn disagreements(search: &mut Search<'_, '_>, world: &World, about: &str) {
    let asked: Vec<(Site, Input)> = search
        .log
        .iter()
        .filter(|asked| asked.class == Class::Disagree)
        .filter_map(|asked| asked.site.zip(asked.input.clone()))
        .collect();
    let (symbolic, limits) = (Symbolic::default(), options().limits);
    for (site, input) in asked {
        let setting = Setting { world, symbolic: &symbolic, limits: &limits };
        let runs = search.pair.run(setting, &input).unwrap();
        let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
        let node = search.pair.nodes.at(1, site).unwrap();
        let here: Vec<usize> =
            (0..runs[1].instances.all.len()).filter(|at| runs[1].instances.all[*at].node == node).collect();
        let both: Vec<(usize, usize)> =
            here.iter().filter_map(|at| Some((alignment.first_of[*at]? as usize, *at))).collect();
        if both.len() < here.len() || both.is_empty() {
            continue;
        }
        // A `switch` computes nothing: what it decides shows in its conditions, one for each place that it compares with before it goes to one.
        if search.point(node).text.starts_with("switch") {
            let chains = [(0, &runs[0]), (1, &runs[1])].map(|(at, ran)| {
                both.iter().map(|pair| chain(search, ran, [pair.0, pair.1][at])).collect::<Vec<_>>()
            });
            let known = chains.iter().flatten().all(|chain| chain.0 > 0) && !search.changes.contains(node);
            assert!(!known || chains[0] != chains[1], "{about}\n{input:?}: a switch decides alike");
            continue;
        }
        let differ =
            |old: usize, new: usize| runs[0].instances.all[old].values != runs[1].instances.all[new].values;
        let disagree = both.iter().any(|(old, new)| differ(*old, *new));
        assert!(disagree, "{about}\n{input:?}: {} decides alike", search.point(node).text);
    }
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
        let shapes =
            vec![Shape { world: world.clone(), symbolic: Symbolic::default(), open: false, free: false }];
        let mut options = options();
        options.runs = 150;
        let mut search = Search::new([&old, &new], shapes, &options);
        let first = inputs().remove(0);
        let ended = match search.start(0, first) {
            Some(found) => Ended::Found(found),
            None => search.search(usize::MAX),
        };
        disagreements(&mut search, &world, &format!("{number}:\n{text}\n{other}"));
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
                effects(&search, &found, &format!("{number}:\n{text}\n{other}"));
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
