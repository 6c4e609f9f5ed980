//! What the prover and the runs say of a function, as evidence.

use super::{Row, Side};
use hydrogen_evidence::compared::{Function, Proof, Version};
use hydrogen_relate::Verdict;

impl Side {
    pub fn told(&self) -> Version<'_> {
        Version { name: &self.name, missing: &self.missing }
    }
}

impl Row {
    pub fn told(&self) -> Function<'_> {
        let proof = match &self.verdict {
            Verdict::Equal(proof) => Some(told(proof)),
            _ => None,
        };
        Function {
            name: &self.name,
            place: &self.place,
            proof,
            checked: self.checked,
            difference: self.difference.as_ref(),
            candidate: match &self.verdict {
                Verdict::Candidate(candidate) => Some(&candidate.what),
                _ => None,
            },
            reasons: match &self.verdict {
                Verdict::Open(reasons) => reasons,
                _ => &[],
            },
            note: self.note.as_deref(),
            explored: self.explored.as_ref().map(|explored| explored.told()),
            reach: self.reach.as_deref(),
        }
    }

    /// Whether exploring its calls can say more: nothing is shown, and it is called by others than the system.
    pub fn is_worth_exploring(&self) -> bool {
        self.difference.is_none() && !matches!(self.verdict, Verdict::Equal(_)) && self.name != "main"
    }
}

fn told(proof: &hydrogen_relate::Proof) -> Proof {
    Proof {
        method: proof.method,
        lemmas: proof.lemmas.clone(),
        ledger: proof.ledger.clone(),
        obligations: proof.obligations,
        asked: proof.asked,
        // A certificate is data alone, which JSON can always hold.
        certificate: proof
            .certificate
            .as_ref()
            .and_then(|certificate| serde_json::to_value(certificate).ok()),
    }
}
