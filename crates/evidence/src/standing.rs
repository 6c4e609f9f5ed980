//! How a finding stands between the versions before a change and the one after it.

use crate::{Finding, Ruling, Status, Verdict};

/// What a comparison tells about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Something worth telling.
    Tell(Status),
    /// No version has the fault.
    Clean,
    /// What could not be decided after the change could not be decided before it, for the same reasons.
    StillOpen,
}

/// Compares the version after a change with those before it: one, or the parents of a merge (F62). A fault is new where no version
/// before has it; where one of them could not be decided, that it is new is not known, unless the input that shows the fault was run there
/// and did no harm.
pub fn standing(finding: &Finding, before: &[u32], after: u32) -> Standing {
    let old: Vec<&Ruling> = before.iter().filter_map(|version| settled(finding, *version)).collect();
    let any = |wanted: Verdict| old.iter().any(|ruling| ruling.verdict == wanted);
    let any_open = old.iter().any(|ruling| ruling.verdict == Verdict::Unknown && !ruling.is_harmless());
    let Some(new) = settled(finding, after) else { return Standing::Clean };
    match new.verdict {
        Verdict::Present if any(Verdict::Present) => Standing::Tell(Status::Unchanged),
        Verdict::Present if any_open => Standing::Tell(Status::Open),
        Verdict::Present => Standing::Tell(Status::New),
        Verdict::Unknown if new.is_harmless() && any(Verdict::Present) => Standing::Tell(Status::Fixed),
        Verdict::Unknown => {
            let same = |ruling: &&Ruling| ruling.verdict == Verdict::Unknown && ruling.ledger == new.ledger;
            if old.iter().any(same) { Standing::StillOpen } else { Standing::Tell(Status::Open) }
        }
        _ if any(Verdict::Present) => Standing::Tell(Status::Fixed),
        _ => Standing::Clean,
    }
}

/// The ruling that counts for a version, as in [`Finding::settled`].
fn settled(finding: &Finding, version: u32) -> Option<&Ruling> {
    let mut of = finding.verdicts.iter().filter(|ruling| ruling.id == version);
    let first = of.next()?;
    let decides = |other: &&Ruling| other.verdict != Verdict::Unknown || first.verdict == Verdict::Unknown;
    let other = of.next().filter(decides);
    Some(other.unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Basis, Class, Evidence, Spot};

    const P: Verdict = Verdict::Present;
    const A: Verdict = Verdict::Absent;
    const U: Verdict = Verdict::Unknown;
    const N: Verdict = Verdict::NotApplicable;

    /// The last verdict is the version's after the change, and the others are those of the versions before.
    fn check(verdicts: &[Verdict], expect: Standing) {
        let ruling = |(at, verdict): (usize, &Verdict)| Ruling {
            id: at as u32,
            version: at.to_string(),
            verdict: *verdict,
            basis: Basis::Fault,
            evidence: Evidence::default(),
            ledger: Vec::new(),
        };
        let finding = Finding {
            kind: Class::Rule,
            message: String::new(),
            location: Spot::default(),
            at_version: String::new(),
            node: 0,
            status: None,
            verdicts: verdicts.iter().enumerate().map(ruling).collect(),
        };
        let versions: Vec<u32> = (0..verdicts.len() as u32).collect();
        let (after, before) = versions.split_last().expect("there is a version");
        assert_eq!(standing(&finding, before, *after), expect, "{verdicts:?}");
    }

    #[test]
    fn nothing_old_is_new() {
        check(&[A, P], Standing::Tell(Status::New));
        check(&[N, P], Standing::Tell(Status::New));
        check(&[P, P], Standing::Tell(Status::Unchanged));
        check(&[U, P], Standing::Tell(Status::Open));
        check(&[P, A], Standing::Tell(Status::Fixed));
        check(&[P, N], Standing::Tell(Status::Fixed));
        check(&[A, U], Standing::Tell(Status::Open));
        check(&[U, U], Standing::StillOpen);
        check(&[A, A], Standing::Clean);
        check(&[U, A], Standing::Clean);
    }

    #[test]
    fn a_merge_has_several_before() {
        check(&[A, A, P], Standing::Tell(Status::New));
        check(&[A, P, P], Standing::Tell(Status::Unchanged));
        check(&[A, U, P], Standing::Tell(Status::Open));
        check(&[P, A, A], Standing::Tell(Status::Fixed));
    }
}
