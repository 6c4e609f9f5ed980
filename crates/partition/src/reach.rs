//! When no change is executed (Def. 4, 5): the condition under which what decides over changed statements goes as it went.

use crate::subject::Subject;
use crate::watch::Marks;
use hydrogen_evidence::Input;
use hydrogen_explore::Conjunct;
use hydrogen_machine::Site;
use hydrogen_pair::{Facts, Pair};
use hydrogen_term::Pool;
use hydrogen_trace::Static;

/// Finds reachability conditions; what they need of the programs is found once.
pub(crate) struct Reach<'a> {
    pair: Pair<'a>,
    statics: Vec<Static<'a>>,
    sites: Vec<Vec<Site>>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(subject: &Subject<'a>, marks: &[Marks]) -> Self {
        let entry = subject.world.entry.as_str();
        Self {
            pair: Pair::new(&subject.programs),
            statics: subject.programs.iter().map(|program| Static::new(program, &[entry])).collect(),
            sites: marks.iter().map(Marks::sites).collect(),
        }
    }

    /// By version, the conditions under which changed statements are not executed, as they are not by this input; none where they are
    /// not known to be enough.
    pub(crate) fn of(
        &mut self,
        subject: &Subject<'a>,
        input: &Input,
        pool: &mut Pool,
    ) -> Option<Vec<Vec<Conjunct>>> {
        std::mem::swap(pool, &mut self.pair.pool);
        let found = self.conditions(subject, input);
        std::mem::swap(pool, &mut self.pair.pool);
        found
    }

    fn conditions(&mut self, subject: &Subject<'a>, input: &Input) -> Option<Vec<Vec<Conjunct>>> {
        let mut all = Vec::new();
        for version in 0..subject.programs.len() {
            let ran = self.pair.run_in(version, subject.setting(), input).ok()?;
            let facts = Facts::new(&self.statics[version], &ran).ok()?;
            let condition = facts.same_instances(&self.statics[version], &self.sites[version]).ok()?;
            if condition.reduced || !self.statics[version].is_precise() {
                return None;
            }
            all.push(condition.conjuncts);
        }
        Some(all)
    }
}
