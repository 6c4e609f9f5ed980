//! That no input tells the versions apart: asked of the prover of `compare`.

use hydrogen_machine::Program;
use hydrogen_relate::{Options, Verdict, compare_programs};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A proof that all changed functions behave as before.
pub struct Proof {
    /// The functions.
    pub functions: Vec<String>,
    /// What is assumed.
    pub ledger: Vec<String>,
}

/// The most time for one function.
const ONE: Duration = Duration::from_secs(5);

/// The proof; none where the prover leaves a function open, or something else changed than functions that both have.
/// For a single function it is enough that this one does.
pub fn prove(
    [old, new]: [&Program; 2],
    function: Option<&str>,
    until: Instant,
    mut progress: impl FnMut(&str),
) -> Option<Proof> {
    let (old, new) = (old.units().next()?, new.units().next()?);
    let options = Options { time: ONE, deadline: Some(until), ..Options::default() };
    let wanted = function.map(|name| BTreeSet::from([name.to_owned()]));
    // Differences are looked for by running: here only proofs count.
    let comparison =
        compare_programs(old, new, wanted.as_ref(), &options, |name| progress(name), |_, _, _| false);
    if !comparison.variables.is_empty() {
        return None;
    }
    let mut proof = Proof { functions: Vec::new(), ledger: Vec::new() };
    for judged in comparison.judged {
        let Verdict::Equal(equal) = judged.verdict else { return None };
        proof.functions.push(judged.name);
        for line in equal.ledger {
            if !proof.ledger.contains(&line) {
                proof.ledger.push(line);
            }
        }
    }
    (!proof.functions.is_empty()).then_some(proof)
}
