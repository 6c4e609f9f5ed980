//! What a fix says and what the fault itself says, in one finding.

use crate::{Class, Entry, Finding, Replay, Ruling, Verdict};

/// Puts what is measured by a fix into the finding that the fix is about, or before all others where none is.
///
/// The fix is about the fault that is gone behind it; else about one that the version before it has. A fix is no measure of itself: where a
/// run shows the fault, nobody says that it is not there; nor is it a measure of a fault that the version before it has not.
pub fn join(found: &mut Vec<Finding>, mut by_fix: Finding, kind: Option<Class>, before: u32, after: u32) {
    let asked = |(_, finding): &(usize, &Finding)| kind.is_none_or(|kind| kind == finding.kind);
    let candidates: Vec<(usize, bool, bool)> = found
        .iter()
        .enumerate()
        .filter(asked)
        .map(|(at, finding)| (at, has(finding, before), has(finding, after)))
        .collect();
    let gone = candidates.iter().find(|(_, had, has)| *had && !has);
    let there = || candidates.iter().find(|(_, had, _)| *had);
    let any = || candidates.first().filter(|_| kind.is_some());
    let place = gone.or_else(there).or_else(any).map(|(at, ..)| *at);
    let Some(finding) = place.and_then(|at| found.get_mut(at)) else {
        found.insert(0, by_fix);
        return;
    };
    // Where the version before the fix was shown to be without the fault that was asked about, the fix is about something else.
    let is_right = |ruling: &Ruling| ruling.id == before && ruling.verdict == Verdict::Absent;
    if kind.is_some() && finding.verdicts.iter().any(is_right) {
        return;
    }
    for ruling in &mut by_fix.verdicts {
        // Where the fix is about what another function leaves in memory, the fault itself, which takes memory as anything, says nothing of it.
        if ruling.verdict != Verdict::Present && ruling.ledger.iter().any(is_carried) {
            for other in finding.verdicts.iter_mut().filter(|other| other.id == ruling.id) {
                if other.verdict == Verdict::Present && needs_memory(other) {
                    other.verdict = Verdict::Unknown;
                    other.ledger.push(Entry::MemoryHoldsAnything);
                }
            }
        }
        let denied = matches!(ruling.verdict, Verdict::Absent | Verdict::Fixed);
        let is_there = |other: &Ruling| {
            other.id == ruling.id && (is_shown(other) || is_as_before(other, &finding.verdicts, before))
        };
        if denied && finding.verdicts.iter().any(is_there) {
            ruling.verdict = Verdict::Present;
            ruling.ledger.insert(0, Entry::FaultRemains);
        }
        // What the fix took away is more than the fault where a version has some of it and was shown to be without the fault.
        let is_without = |other: &Ruling| {
            other.id == ruling.id && matches!(other.verdict, Verdict::Absent | Verdict::Fixed)
        };
        if ruling.verdict == Verdict::Present
            && ruling.id != before
            && finding.verdicts.iter().any(is_without)
        {
            ruling.verdict = Verdict::Unknown;
            ruling.ledger.insert(0, Entry::FaultRefuted);
        }
    }
    finding.verdicts.extend(by_fix.verdicts);
}

fn is_carried(entry: &Entry) -> bool {
    matches!(entry, Entry::Carried { .. })
}

/// Whether what shows a fault needs memory that comes in to hold something.
fn needs_memory(ruling: &Ruling) -> bool {
    ruling.evidence.model.iter().any(|(name, _)| name.contains("->") || name.contains(['.', '[', '*']))
}

/// Whether the fault is in a version, by the fault itself.
fn has(finding: &Finding, version: u32) -> bool {
    finding.verdicts.iter().any(|ruling| ruling.id == version && ruling.verdict == Verdict::Present)
}

/// Whether a run showed the fault, with nothing in memory that nobody is seen to put there.
fn is_shown(ruling: &Ruling) -> bool {
    ruling.verdict == Verdict::Present
        && ruling.evidence.replay == Some(Replay::Confirmed)
        && !ruling.rests_on_outside()
}

/// Whether a run showed the fault under the condition that it has before the fix: whatever that rests on, the fix changed nothing about it.
fn is_as_before(ruling: &Ruling, all: &[Ruling], before: u32) -> bool {
    let is_present = |ruling: &Ruling| {
        ruling.verdict == Verdict::Present && ruling.evidence.replay == Some(Replay::Confirmed)
    };
    let condition = &ruling.evidence.constraint;
    is_present(ruling)
        && !condition.is_empty()
        && all
            .iter()
            .any(|other| other.id == before && is_present(other) && other.evidence.constraint == *condition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Basis, Evidence, Spot};

    const P: Verdict = Verdict::Present;
    const A: Verdict = Verdict::Absent;
    const F: Verdict = Verdict::Fixed;
    const U: Verdict = Verdict::Unknown;

    fn finding(kind: Class, basis: Basis, verdicts: [Verdict; 2]) -> Finding {
        let ruling = |(id, verdict): (u32, Verdict)| Ruling {
            id,
            version: format!("v{}", id + 1),
            verdict,
            basis,
            evidence: Evidence { replay: Some(Replay::Confirmed), ..Evidence::default() },
            ledger: Vec::new(),
        };
        Finding {
            kind,
            message: "it".into(),
            location: Spot::default(),
            at_version: "v1".into(),
            node: 0,
            status: None,
            verdicts: (0..).zip(verdicts).map(ruling).collect(),
        }
    }

    /// The kind that the fix was put to, and what it says of both versions then.
    fn joined(faults: &[(Class, [Verdict; 2])], kind: Option<Class>) -> (Class, Vec<Verdict>) {
        let mut found: Vec<Finding> =
            faults.iter().map(|(kind, verdicts)| finding(*kind, Basis::Fault, *verdicts)).collect();
        join(&mut found, finding(Class::Change, Basis::Patch, [P, F]), kind, 0, 1);
        let one = found.iter().find(|finding| finding.is_by_fix()).unwrap();
        let by_fix = one.verdicts.iter().filter(|ruling| ruling.basis == Basis::Patch);
        (one.kind, by_fix.map(|ruling| ruling.verdict).collect())
    }

    #[test]
    fn what_a_run_shows_is_not_fixed() {
        assert_eq!(joined(&[(Class::Overflow, [P, P])], None), (Class::Overflow, vec![P, P]));
        assert_eq!(joined(&[(Class::Overflow, [P, U])], None), (Class::Overflow, vec![P, F]));
    }

    #[test]
    fn what_memory_may_hold_says_nothing_of_a_fix_that_is_about_it() {
        let of = |member: &str, by_fix: Verdict| {
            let mut found = vec![finding(Class::Division, Basis::Fault, [P, P])];
            for ruling in &mut found[0].verdicts {
                ruling.evidence.model = vec![(member.to_owned(), "0".to_owned())];
            }
            let mut fix = finding(Class::Change, Basis::Patch, [P, by_fix]);
            for ruling in &mut fix.verdicts {
                let (name, function) = ("n".to_owned(), "make".to_owned());
                ruling.ledger.push(Entry::Carried { name, function });
            }
            join(&mut found, fix, None, 0, 1);
            found[0].verdicts.iter().map(|ruling| ruling.verdict).collect::<Vec<_>>()
        };
        assert_eq!(of("c->n", F), [P, U, P, F]);
        assert_eq!(of("c->n", U), [P, U, P, U]);
        // A number that is handed over is another matter.
        assert_eq!(of("n", F), [P, P, P, P]);
    }

    #[test]
    fn another_fault_says_nothing_about_the_fix() {
        let faults = [(Class::Null, [P, P]), (Class::Overflow, [P, A])];
        assert_eq!(joined(&faults, None), (Class::Overflow, vec![P, F]));
        let same_kind = [(Class::Overflow, [P, P]), (Class::Overflow, [P, A])];
        assert_eq!(joined(&same_kind, Some(Class::Overflow)), (Class::Overflow, vec![P, F]));
        assert_eq!(joined(&[(Class::Null, [A, P])], None), (Class::Change, vec![P, F]));
    }
}
