//! Calls of a changed function with values that its types and the constants in its code suggest: what one version fails on and the other one
//! takes without harm. It knows what callees, allocators and pointers to functions really do, where conditions only know that they may do
//! anything.

use crate::between::shared_places;
use crate::runner::{Runner, Units};
use hydrogen_evidence::{Class, Value};
use hydrogen_ir::{Linkage, Module};
use hydrogen_machine::End;
use hydrogen_query::{Shared, Tried};
use hydrogen_trial::{Proposer, does_something};

/// Calls of one function.
const CALLS: u64 = 400;
/// Steps of one of them, and of all.
const STEPS: u64 = 60_000;
const ALL_STEPS: u64 = 12_000_000;
/// Calls in a row that cannot be made: then others cannot either.
const HOPELESS: u64 = 12;

impl<U: Units> Runner<U> {
    /// The calls on which one version fails and the other one ends by itself, the plainest for each place.
    pub(crate) fn try_calls(&self, shared: &Shared) -> Vec<Tried> {
        let Some(mut between) = self.between(shared) else { return Vec::new() };
        let programs = between.programs.clone();
        let Some([one, other]) = shared_places(&programs, shared) else { return Vec::new() };
        let has_body = |name: &str| programs.iter().any(|program| does_something(program, name));
        let proposer = Proposer::new(one, other, has_body);
        let limits = self.limits(Class::Null, STEPS);
        let (mut steps, mut hopeless) = (0, 0);
        for number in 0..if proposer.is_fixed() { 1 } else { CALLS } {
            if steps > ALL_STEPS || hopeless > HOPELESS || self.is_over() {
                break;
            }
            let mut call = proposer.call(number);
            // A variable that only its own file can name holds what that puts there, and nothing else.
            call.globals
                .retain(|global| is_for_all(one.0, &global.name) && is_for_all(other.0, &global.name));
            // What nobody sees inside of gives nothing by itself.
            for reply in &mut call.answers {
                reply.value = Value::number(64, 0);
            }
            let runs = [0, 1].map(|at| between.run(at, &call, &limits));
            steps += runs.iter().map(|run| run.steps).sum::<u64>();
            let impossible = |end: &End| matches!(end, End::Unresolved(..) | End::Unsupported(..));
            hopeless = if runs.iter().any(|run| impossible(&run.end)) { hopeless + 1 } else { 0 };
            match [&runs[0].end, &runs[1].end] {
                [End::Fault(fault), End::Exit(_)] => between.take(0, fault, &call),
                [End::Exit(_), End::Fault(fault)] => between.take(1, fault, &call),
                [End::Exit(_), End::Exit(_)] => {
                    for at in [0, 1] {
                        if runs[1 - at].lost.is_empty() {
                            between.take_lost(at, &runs[at].lost, &call);
                        }
                    }
                }
                _ => {}
            }
        }
        self.told(between)
    }
}

/// Whether others can name a variable.
fn is_for_all(module: &Module, name: &str) -> bool {
    let mut named = module.globals.iter().filter(|global| global.name == name);
    named.all(|global| global.linkage != Linkage::Internal)
}
