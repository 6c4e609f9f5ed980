//! Two versions by their signatures: the list of conditions with what comes out under them, of each version on its own, then
//! every pair of entries.

use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, Exploration, Symbolic};
use hydrogen_machine::World;
use hydrogen_term::{Answer, Engine, Importer, Pool, Term, standard};

/// A condition, and what comes out wherever it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What an input must fulfil.
    pub condition: Vec<Term>,
    /// What the program names as output, in order.
    pub outputs: Vec<(String, Term)>,
}

/// A pair of entries under which the outputs differ for some input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposed {
    /// The number of the old version's entry.
    pub old: usize,
    /// The number of the new version's entry.
    pub new: usize,
    /// An input on which they differ.
    pub input: Input,
}

/// The signature that an exploration found; its terms go into a pool that versions share.
pub fn signature(pool: &mut Pool, found: &Exploration) -> Vec<Entry> {
    let mut importer = Importer::new(&found.pool);
    let mut entries: Vec<Entry> = Vec::new();
    for test in &found.tests {
        let entry = Entry {
            condition: test.condition().iter().map(|one| importer.import(pool, one.term)).collect(),
            outputs: test
                .outputs
                .iter()
                .map(|one| (one.name.clone(), importer.import(pool, one.value)))
                .collect(),
        };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// The pairs of entries whose conditions can hold together with other outputs, and how many questions had no answer.
pub fn compare_signatures(
    pool: &mut Pool,
    old: &[Entry],
    new: &[Entry],
    symbolic: &Symbolic,
    world: &World,
) -> (Vec<Exposed>, u64) {
    let mut engine = Engine::new(standard(), hydrogen_term::Limits::default());
    let (mut found, mut unknown) = (Vec::new(), 0);
    for (at, one) in old.iter().enumerate() {
        for (there, other) in new.iter().enumerate() {
            let names =
                |entry: &Entry| entry.outputs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            let differ = match names(one) == names(other) {
                true => {
                    let pairs = one.outputs.iter().zip(&other.outputs);
                    let parts: Vec<Term> = pairs.map(|(a, b)| pool.ne(a.1, b.1)).collect();
                    pool.or_all(parts)
                }
                false => pool.bool(true),
            };
            let mut asked: Vec<Term> = one.condition.iter().chain(&other.condition).copied().collect();
            asked.push(differ);
            match engine.check(pool, &asked) {
                Answer::Sat(model) => {
                    let input = symbolic.first(world).with_model(pool, &model);
                    found.push(Exposed { old: at, new: there, input });
                }
                Answer::Unsat => {}
                Answer::Unknown(_) => unknown += 1,
            }
        }
    }
    (found, unknown)
}
