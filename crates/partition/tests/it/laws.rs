//! What holds for all programs (§2.4): random programs beside a mutant of theirs.

use super::support::{input, limits, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Answered, Assignment, Symbolic};
use hydrogen_machine::{Program, World};
use hydrogen_pair::{Observable, Outcome};
use hydrogen_partition::{Answers, Cell, Found, Options, Partitioner, Status, Subject};
use hydrogen_term::{Evaluator, Pool};
use hydrogen_testkit::generate::{PRELUDE, Random, Style, program as generate};

const STYLES: [Style; 6] =
    [Style::Scalars, Style::Memory, Style::Calls, Style::Jumps, Style::Indices, Style::Whole];

/// `HYDROGEN_RANDOM=FROM..TO` takes other programs than usual.
fn numbers() -> std::ops::Range<u64> {
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let range = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "3"));
    range.0.parse().unwrap()..range.1.parse().unwrap()
}

/// Changes one operator or number of a program behind its declarations.
fn mutate(source: &str, seed: u64) -> String {
    const PAIRS: [(&str, &str); 10] = [
        (" < ", " <= "),
        (" > ", " >= "),
        (" == ", " != "),
        (" + ", " - "),
        (" - ", " + "),
        (" & ", " | "),
        (" = 1", " = 2"),
        (" + 1", " + 2"),
        ("if (", "if (!"),
        (" * ", " + "),
    ];
    let body = source.rfind("gz.m = 0;").map_or(0, |at| at + 9);
    let end = source.rfind(" end:").unwrap_or(source.len());
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, (from, _)) in PAIRS.iter().enumerate() {
        places.extend(source[body..end].match_indices(from).map(|(at, _)| (body + at, number)));
    }
    places.sort_unstable();
    if places.is_empty() {
        return source.to_owned();
    }
    let (at, number) = places[Random::new(seed).below(places.len() as u64) as usize];
    let (from, to) = PAIRS[number];
    format!("{}{to}{}", &source[..at], &source[at + from.len()..])
}

fn all_inputs() -> Vec<Input> {
    (0..32).map(|bits| input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)])).collect()
}

/// All that the programs see of an input: five bits.
struct Truth {
    world: World,
    programs: Vec<Program>,
}

impl Truth {
    fn new(sources: &[String], number: u64) -> Self {
        let mut world = World::default();
        world.entry = format!("p{number}");
        Self { world, programs: sources.iter().map(|source| program(source, &[])).collect() }
    }

    fn outcomes(&self, order: &[usize], input: &Input) -> Vec<Outcome> {
        let run = |program: &Program| {
            let run = program.run(self.world.with_input(input), limits());
            Outcome::of(&run.end, &run.world, None)
        };
        order.iter().map(|at| run(&self.programs[*at])).collect()
    }

    fn is_equal(&self, order: &[usize], input: &Input) -> bool {
        self.outcomes(order, input).windows(2).all(|two| two[0].same(&two[1], &Observable::usual()))
    }

    fn explore(&self, order: &[usize], options: &Options, answers: Answers) -> (Found, Vec<Answered>) {
        let (symbolic, limits) = (Symbolic::default(), limits());
        let programs = order.iter().map(|at| &self.programs[*at]).collect();
        let subject = Subject::new(programs, &self.world, &symbolic, &limits);
        let given = vec![input(&[("a", 0), ("b", 0), ("c", 0)])];
        let mut partitioner = Partitioner::new(&subject, options, given, answers);
        while partitioner.step() {}
        let new = partitioner.answers().take_new().to_vec();
        (partitioner.finish(), new)
    }
}

fn holds(pool: &Pool, cell: &Cell, input: &Input) -> bool {
    let model = input.model(pool, &pool.variables(&cell.condition));
    let mut evaluator = Evaluator::new(pool, &model);
    cell.condition.iter().all(|term| evaluator.holds(*term))
}

/// Every input is in exactly one cell, or left out by an assumption, and the cell says what the versions do.
fn check_truth(truth: &Truth, order: &[usize], found: &Found, what: &str) {
    assert_eq!(found.alarms, [], "{what}");
    for input in all_inputs() {
        let cells: Vec<&Cell> = found.cells.iter().filter(|cell| holds(&found.pool, cell, &input)).collect();
        assert!(cells.len() <= 1, "{what}: {input:?} is in {} cells", cells.len());
        if let [cell] = cells.as_slice() {
            assert_eq!(cell.is_equal(), truth.is_equal(order, &input), "{what}: {input:?}");
            // For a difference, the terms say what comes out.
            let outcomes = truth.outcomes(order, &input);
            for (side, outcome) in cell.sides.iter().zip(&outcomes) {
                let model = input.model(&found.pool, &found.pool.variables(&[]));
                for (output, (_, value)) in side.outputs.iter().zip(&outcome.named) {
                    let variables = found.pool.variables(&[output.value]);
                    let own = input.model(&found.pool, &variables);
                    let model = if variables.is_empty() { &model } else { &own };
                    assert_eq!(
                        Evaluator::new(&found.pool, model).bits(output.value) as u64,
                        *value,
                        "{what}: {input:?}"
                    );
                }
            }
        } else if found.status == Status::Complete {
            let left_out = truth
                .outcomes(order, &input)
                .iter()
                .any(|one| one.ending == hydrogen_pair::Ending::Assumption);
            assert!(left_out, "{what}: {input:?} is in no cell");
        }
    }
}

fn pairs() -> Vec<(String, Truth)> {
    let mut all = Vec::new();
    for style in STYLES {
        for number in numbers() {
            let own = generate(number, style);
            let sources =
                [own.clone(), mutate(&own, number * 7 + style as u64), mutate(&own, number * 11 + 3)];
            let sources = sources.map(|source| format!("{PRELUDE}{source}"));
            all.push((
                format!("{style:?} {number}\n{}\n{}", sources[0], sources[1]),
                Truth::new(&sources, number),
            ));
        }
    }
    all
}

/// 3: a neighbour's test is not in the cell that it was found from; and with hints about where runs become the same again, the same is found.
#[test]
fn neighbours_are_outside_and_hints_change_no_answer() {
    for (what, truth) in pairs() {
        let (found, _) = truth.explore(&[0, 1], &Options::default(), Answers::default());
        for cell in &found.cells {
            if let Some(from) = cell.why.1 {
                assert!(!holds(&found.pool, &found.cells[from], &cell.input), "{what}: {:?}", cell.input);
            }
        }
        let options = Options { hints: true, ..Options::default() };
        let (hinted, _) = truth.explore(&[0, 1], &options, Answers::default());
        assert_eq!(hinted.status, Status::Complete, "{what}");
        check_truth(&truth, &[0, 1], &hinted, &what);
    }
}

/// 1, 2, 4, 5, 7, 8, 11: cells hold their tests, are disjoint, cover everything, say what brute force says, in both directions.
#[test]
fn cells_say_what_brute_force_says() {
    let (mut equal, mut different) = (0, 0);
    for (what, truth) in pairs() {
        let (found, _) = truth.explore(&[0, 1], &Options::default(), Answers::default());
        assert_eq!(found.status, Status::Complete, "{what} {:?}", found.missing);
        check_truth(&truth, &[0, 1], &found, &what);
        for cell in &found.cells {
            assert!(holds(&found.pool, cell, &cell.input), "{what}: a cell holds its test");
            *(if cell.is_equal() { &mut equal } else { &mut different }) += 1;
        }
        let (back, _) = truth.explore(&[1, 0], &Options::default(), Answers::default());
        assert_eq!(back.status, Status::Complete, "{what}");
        let region = |found: &Found, input: &Input| {
            found.cells.iter().find(|cell| holds(&found.pool, cell, input)).map(Cell::is_equal)
        };
        for input in all_inputs() {
            assert_eq!(region(&found, &input), region(&back, &input), "{what}: {input:?}");
        }
    }
    assert!(equal > 0 && different > 0);
}

/// 6: a program beside itself is one partition, `true`.
#[test]
fn a_program_beside_itself_is_one_partition() {
    for (what, truth) in pairs().into_iter().step_by(2) {
        let (found, _) = truth.explore(&[0, 0], &Options::default(), Answers::default());
        assert!(found.is_equal(), "{what}");
        assert!(matches!(found.cells.as_slice(), [cell] if cell.condition.is_empty()), "{what}");
    }
}

/// 9, 10: whenever it is interrupted, what is said is true, never becomes less, and with the answers so far it goes on to the same end.
#[test]
fn an_interruption_takes_nothing_back() {
    for (what, truth) in pairs().into_iter().step_by(5) {
        let (whole, all) = truth.explore(&[0, 1], &Options::default(), Answers::default());
        for runs in [1, 2, whole.runs.saturating_sub(1)] {
            let options = Options { runs, ..Options::default() };
            let (part, answers) = truth.explore(&[0, 1], &options, Answers::default());
            check_truth(&truth, &[0, 1], &part, &what);
            assert!(part.cells.len() <= whole.cells.len());
            for (one, other) in part.cells.iter().zip(&whole.cells) {
                assert_eq!((&one.input, one.label), (&other.input, other.label), "{what}");
            }
            assert_eq!(answers, all[..answers.len()], "{what}");
            let (again, new) =
                truth.explore(&[0, 1], &Options::default(), Answers::from_earlier(answers.clone()));
            assert_eq!(new, all[answers.len()..], "{what}");
            let inputs =
                |found: &Found| found.cells.iter().map(|cell| cell.input.clone()).collect::<Vec<_>>();
            assert_eq!(
                (again.status.clone(), inputs(&again)),
                (whole.status.clone(), inputs(&whole)),
                "{what}"
            );
        }
    }
}

/// Cells of inputs that execute no change, told by what decides over changes alone, are as true; they may overlap.
#[test]
fn cells_by_reach_say_what_brute_force_says() {
    let options = Options { by_reach: true, ..Options::default() };
    for (what, truth) in pairs() {
        let (found, _) = truth.explore(&[0, 1], &options, Answers::default());
        assert_eq!(found.alarms, [], "{what}");
        assert_eq!(found.status, Status::Complete, "{what} {:?}", found.missing);
        for input in all_inputs() {
            for cell in found.cells.iter().filter(|cell| holds(&found.pool, cell, &input)) {
                assert_eq!(cell.is_equal(), truth.is_equal(&[0, 1], &input), "{what}: {input:?}");
            }
        }
    }
}

/// D3: three versions agree exactly where each agrees with the next.
#[test]
fn three_versions_agree_where_neighbours_do() {
    for (what, truth) in pairs().into_iter().step_by(2) {
        let (found, _) = truth.explore(&[0, 1, 2], &Options::default(), Answers::default());
        assert_eq!(found.status, Status::Complete, "{what}");
        check_truth(&truth, &[0, 1, 2], &found, &what);
    }
}
