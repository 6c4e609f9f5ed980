//! Differences judged by a version that is known to be right (D23).

use crate::cell::Cell;
use crate::subject::Subject;
use hydrogen_evidence::partitioned::Judgement;
use hydrogen_machine::Program;
use hydrogen_pair::Outcome;

/// Judges the test of a cell; none where the cell is equal, or the right version's run was cut short.
pub fn judge(subject: &Subject<'_>, golden: &Program, cell: &Cell) -> Option<Judgement> {
    let (old, new) = (cell.sides.first()?, cell.sides.last()?);
    if cell.is_equal() {
        return None;
    }
    let world = subject.symbolic.world(golden, subject.world, &cell.input);
    let run = golden.run(world, subject.limits.clone());
    let right = Outcome::of(&run.end, &run.world, None);
    let same = |outcome: &Outcome| right.same(outcome, &subject.observables);
    match (right.is_whole(), same(&old.outcome), same(&new.outcome)) {
        (false, ..) => None,
        (true, _, true) => Some(Judgement::Progression),
        (true, true, false) => Some(Judgement::Regression),
        (true, false, false) => Some(Judgement::Intermediate),
    }
}
