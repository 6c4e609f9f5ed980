//! What a search is given, and what it gives.

use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Class;
use hydrogen_explore::{Number, Symbolic};
use hydrogen_machine::{Limits, World};
use hydrogen_pair::{Difference, Node, Observable, Outcome, Ran};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What inputs look like: the world around them, and what of it may change.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The world but for the input.
    pub world: World,
    /// What of the input may change.
    pub symbolic: Symbolic,
    /// Whether inputs may be longer than that, because nobody said how long they are.
    pub open: bool,
    /// Whether the command line may have other words, because nobody gave one.
    pub free: bool,
}

/// Bytes of standard input, where the user gave none.
const STDIN: usize = 8;
/// An argument may be longer than the one that was given by so much.
const LONGER: usize = 2;

impl Shape {
    /// Everything of a world may change but options: numbers and words, the content of files that are named, and standard input.
    pub fn by_look(world: World) -> Self {
        let mut symbolic =
            Symbolic { stdin: world.stdin().len().max(STDIN), shorter: true, ..Symbolic::default() };
        for (index, arg) in world.args.iter().enumerate().skip(1) {
            let is_option = arg.starts_with(b"-") && arg.get(1).is_some_and(|byte| !byte.is_ascii_digit());
            if let Some(number) = number(arg) {
                symbolic.numbers.insert(index, number);
                continue;
            }
            match world.file(arg) {
                Some(content) if !content.is_empty() => {
                    symbolic.files.insert(arg.clone(), content.len());
                }
                _ if is_option => {}
                _ => {
                    symbolic.args.insert(index, arg.len() + if arg.contains(&0) { 0 } else { LONGER });
                }
            }
        }
        Self { world, symbolic, open: true, free: false }
    }
}

/// Whether an argument is a number as C programs write it.
fn number(arg: &[u8]) -> Option<Number> {
    let text = std::str::from_utf8(arg).ok()?;
    let value: i64 = text.parse().ok()?;
    (value.to_string() == text).then(|| Number::any(if i32::try_from(value).is_ok() { 32 } else { 64 }))
}

/// What a difference is to whoever searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth {
    /// What kind of difference it is: one of a kind is enough to tell of it.
    pub kind: &'static str,
    /// Whether it is what is searched for.
    pub wanted: bool,
}

impl Worth {
    /// Any difference is as good as another.
    pub const ANY: Self = Self { kind: "difference", wanted: true };
}

/// Says what a difference is worth, from the input in its world and what both versions did with it.
pub type Judge = Rc<dyn Fn(&World, &Input, [&Outcome; 2]) -> Worth>;

/// How to search.
#[derive(Clone)]
pub struct Options {
    /// The limits of each run.
    pub limits: Limits,
    /// The most inputs that are run.
    pub runs: usize,
    /// When to stop.
    pub until: Option<Instant>,
    /// What one question may cost.
    pub solver_limits: hydrogen_term::Limits,
    /// What of an outcome is compared.
    pub observables: Vec<Observable>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// What the search goes along.
    pub along: Along,
    /// Which question is asked next.
    pub strategy: Strategy,
    /// What a difference is worth; without it, all are wanted.
    pub judge: Option<Judge>,
}

impl Options {
    /// What a difference is worth.
    pub(crate) fn worth(&self, world: &World, input: &Input, outcomes: [&Outcome; 2]) -> Worth {
        self.judge.as_ref().map_or(Worth::ANY, |judge| judge(world, input, outcomes))
    }
}

/// Which question is asked next (E12). With each, now and then the oldest one is, so that none waits for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Once a change was reached, kinds of questions take turns: those about what comes out of it most often.
    #[default]
    Turns,
    /// Always the best one: the kind that leads to a difference soonest, and of it the one nearest to a change.
    Nearest,
    /// Any, by chance; the same for the same search.
    Random,
    /// The best one and any, by turns.
    Alternate,
}

/// What a search goes along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Along {
    /// The shortest way to a difference.
    #[default]
    Difference,
    /// All orders in which changes are executed: each has its share, and a difference of each is wanted (E11).
    Sequences,
    /// The changes one by one, for comparison (E16).
    Changes,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits { steps: 5_000_000, output: 1 << 20, ..Limits::default() },
            runs: usize::MAX,
            until: None,
            solver_limits: hydrogen_term::Limits::default(),
            observables: Observable::usual(),
            interrupt: None,
            along: Along::Difference,
            strategy: Strategy::Turns,
            judge: None,
        }
    }
}

/// An input on which the versions differ.
pub struct Found {
    /// Which shape of input.
    pub shape: usize,
    /// The input.
    pub input: Input,
    /// What the old and the new version did.
    pub runs: [Ran; 2],
    /// In what they differ.
    pub differences: Vec<Difference>,
    /// The question that the input answers; none for one that was there already, or was made of others.
    pub answers: Option<Class>,
    /// Whether it was made of inputs that were there already.
    pub varied: bool,
}

/// How a search ended.
pub enum Ended {
    /// The versions differ.
    Found(Box<Found>),
    /// Nothing is left to ask.
    Exhausted,
    /// A limit was reached, or the user stopped it.
    Stopped,
}

/// What was asked, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the question was for.
    pub class: Class,
    /// Where the branch is that was turned; none for a question about outcomes.
    pub site: Option<hydrogen_machine::Site>,
    /// The condition that was asked for, as C.
    pub condition: String,
    /// Whether there is an input.
    pub sat: Option<bool>,
    /// The input.
    pub input: Option<Input>,
}

/// A branch whose other side leads to a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// Its statement.
    pub branch: Node,
    /// How many branches on that side decide about the change.
    pub away: u64,
    /// The shape of the input that comes to it.
    pub shape: usize,
    /// The input.
    pub input: Input,
}
