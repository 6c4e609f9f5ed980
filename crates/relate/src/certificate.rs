//! Certificates of proofs, and their checker.
//!
//! A certificate names the cuts, who leads and how many steps the other takes, the relation at every pair of cuts, and the callees whose equality was used, with
//! the hashes of both sides. The checker computes the segments again from `ir` by code of its own (`again`), finds nothing and gives up nothing: every claim must
//! follow, and another solver than the one that proved it is asked. Where every partition of the arguments was run, the certificate is the list of inputs.

use crate::{
    again::{Inputs, check_paths},
    align::Alignment,
    code::{Jumps, Reading, Var},
    context::Side,
    pair::Options,
    prepare::{Prepared, prepare},
    prove::Prover,
    recursion::Recurrent,
    relation::{Fact, Form, Places, Relation, Spilled},
    segment::{Runner, Target, is_cut},
    subject::Subject,
    sums::Sum,
};
use hydrogen_ir::{ContentHash, Module, exact_hash};
use hydrogen_term::{Engine, Limits, Solver};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// What a checker needs to go through a proof again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Certificate {
    /// Relations at cuts.
    Relations(Relations),
    /// An input of every partition of the arguments.
    Inputs(Inputs),
}

/// A proof by relations at cuts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relations {
    old: ContentHash,
    new: ContentHash,
    lemmas: Vec<Lemma>,
    reading: Reading,
    /// Nodes at which both versions are cut besides the heads of loops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cuts: Vec<(usize, usize)>,
    assume_defined: bool,
    lead: Side,
    steps: Vec<(Places, Target, usize)>,
    stride: usize,
    relations: Vec<Claims>,
}

/// A callee that stays closed because both versions of it are equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lemma {
    /// Its name.
    pub name: String,
    /// The hash of the old version.
    pub old: Option<ContentHash>,
    /// The hash of the new version.
    pub new: Option<ContentHash>,
}

/// The relation at a pair of cuts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claims {
    places: Places,
    forms: Vec<(Var, Vec<Form>)>,
    facts: Vec<Fact>,
    objects: Vec<u64>,
    kept: Vec<(Side, Var)>,
    spilled: Vec<Spilled>,
    sums: Vec<Sum>,
    recurrent: Vec<Recurrent>,
}

/// Why a certificate is no proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// It is about other code.
    #[error("the certificate is about other code than `{0}` is now")]
    OtherCode(String),
    /// The checker cannot read the code, or had no time to.
    #[error("{0}")]
    NotRead(String),
    /// Something that it claims does not follow.
    #[error("{0}")]
    DoesNotFollow(String),
}

impl Certificate {
    /// The callees whose equality the proof uses: they need certificates of their own.
    pub fn lemmas(&self) -> &[Lemma] {
        match self {
            Certificate::Relations(relations) => &relations.lemmas,
            Certificate::Inputs(_) => &[],
        }
    }
}

impl Relations {
    pub(crate) fn new(
        (old, new): (Subject, Subject),
        lemmas: &[String],
        (reading, cuts): (Reading, Vec<(usize, usize)>),
        assume_defined: bool,
        alignment: &Alignment,
        relations: &BTreeMap<Places, Relation>,
    ) -> Option<Self> {
        let lemma = |name: &String| Lemma {
            name: name.clone(),
            old: hash_of(old.module, name),
            new: hash_of(new.module, name),
        };
        let claims = |(places, relation): (&Places, &Relation)| Claims {
            places: *places,
            forms: relation.forms.iter().map(|(var, forms)| (*var, forms.clone())).collect(),
            facts: relation.facts.iter().copied().collect(),
            objects: relation.objects.iter().copied().collect(),
            kept: relation.kept.iter().copied().collect(),
            spilled: relation.spilled.iter().copied().collect(),
            sums: relation.sums.iter().cloned().collect(),
            recurrent: relation.recurrent.iter().copied().collect(),
        };
        Some(Self {
            old: exact_hash(old.module, old.function)?,
            new: exact_hash(new.module, new.function)?,
            lemmas: lemmas.iter().map(lemma).collect(),
            reading,
            cuts,
            assume_defined,
            lead: alignment.lead,
            steps: alignment
                .steps
                .iter()
                .map(|(&(places, target), &steps)| (places, target, steps))
                .collect(),
            stride: alignment.stride,
            relations: relations.iter().map(claims).collect(),
        })
    }
}

fn hash_of(module: &Module, name: &str) -> Option<ContentHash> {
    let (id, _) = module.definitions().find(|(_, function)| function.name == name)?;
    exact_hash(module, id)
}

/// Goes through a proof again. The lemmas are taken as they are, after comparing their hashes.
pub fn check(
    certificate: &Certificate,
    old: Subject,
    new: Subject,
    solver: Box<dyn Solver + Send>,
    time: Duration,
) -> Result<(), Rejected> {
    let certificate = match certificate {
        Certificate::Relations(relations) => relations,
        Certificate::Inputs(inputs) => return check_paths(inputs, old, new, solver, time),
    };
    let is = |subject: Subject, hash| exact_hash(subject.module, subject.function) == Some(hash);
    // Equal is equal both ways round: a proof may take the new version for the old one.
    let turned = is(new, certificate.old) && is(old, certificate.new) && !certificate.assume_defined;
    let (old, new) = if turned { (new, old) } else { (old, new) };
    for (subject, hash) in [(old, certificate.old), (new, certificate.new)] {
        if exact_hash(subject.module, subject.function) != Some(hash) {
            return Err(Rejected::OtherCode(subject.module.function(subject.function).name.clone()));
        }
    }
    for lemma in &certificate.lemmas {
        if hash_of(old.module, &lemma.name) != lemma.old || hash_of(new.module, &lemma.name) != lemma.new {
            return Err(Rejected::OtherCode(lemma.name.clone()));
        }
    }
    let alike = certificate.lemmas.iter().map(|lemma| lemma.name.clone()).collect();
    let wrong = |words: String| Rejected::DoesNotFollow(words);
    let options = Options { alike, ..Options::default() };
    let prepared = prepare(old, new, &options.alike, options.reaches.clone(), certificate.reading.jumps)
        .map_err(|obstacle| wrong(obstacle.to_string()))?;
    let Prepared { old: mut old_code, new: mut new_code, mut context, old_addresses, new_addresses, .. } =
        prepared;
    for &(a, b) in &certificate.cuts {
        if a >= old_code.nodes.len() || b >= new_code.nodes.len() {
            return Err(wrong("a cut that is none".to_owned()));
        }
        // A cut more is a claim more: it is sound wherever it is.
        old_code.heads.insert(a);
        new_code.heads.insert(b);
    }
    context.small_objects = certificate.reading.small_objects;
    let loops = certificate.reading.loops;
    let is_head = |target: Target, heads: &std::collections::BTreeSet<usize>| match target {
        Target::Entry => true,
        Target::Head(node) => heads.contains(&node),
        // The one that has returned waits for the other.
        Target::Return => true,
        Target::Stop => false,
    };
    let mut relations: BTreeMap<Places, Relation> = BTreeMap::new();
    for claims in &certificate.relations {
        let (a, b) = claims.places;
        if !is_cut(claims.places) || !is_head(a, &old_code.heads) || !is_head(b, &new_code.heads) {
            return Err(wrong("a cut that is none".to_owned()));
        }
        let relation = Relation {
            forms: claims.forms.iter().cloned().collect(),
            facts: claims.facts.iter().copied().collect(),
            objects: claims.objects.iter().copied().collect(),
            kept: claims.kept.iter().copied().collect(),
            spilled: claims.spilled.iter().copied().collect(),
            sums: claims.sums.iter().cloned().collect(),
            recurrent: claims.recurrent.iter().copied().collect(),
        };
        relations.insert(claims.places, relation);
    }
    // The beginning is where nothing is claimed and everything is compared from.
    relations.insert((Target::Entry, Target::Entry), Relation::default());
    let steps =
        certificate.steps.iter().map(|&(places, target, steps)| ((places, target), steps.min(64))).collect();
    let alignment = Alignment { lead: certificate.lead, steps, stride: certificate.stride.clamp(1, 64) };
    let deadline = Instant::now() + time;
    let mut engine = Engine::new(solver, Limits { time, ..Limits::default() }).alone();
    engine.set_deadline(deadline);
    let one = Runner {
        code: &old_code,
        side: Side::Old,
        addresses: old_addresses,
        loops,
        reader: Some(crate::again::advance),
    };
    let other = Runner {
        code: &new_code,
        side: Side::New,
        addresses: new_addresses,
        loops,
        reader: Some(crate::again::advance),
    };
    let mut prover = Prover::new(&mut context, &mut engine, one, other, deadline);
    prover.assume_defined = certificate.assume_defined;
    prover.exact = true;
    prover.strict = true;
    prover.unfolds = certificate.reading.jumps == Jumps::Never;
    prover.by_algebra = relations.values().any(|relation| !relation.sums.is_empty());
    match prover.attempt(&alignment, &mut relations) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(failure)) => Err(wrong(failure.words().to_owned())),
        Err(obstacle) => Err(wrong(obstacle.to_string())),
    }
}

#[cfg(test)]
mod tests;
