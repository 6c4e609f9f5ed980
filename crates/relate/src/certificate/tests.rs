//! Certificates are accepted as they are, by another solver, and rejected when damaged.

use super::*;
use crate::{
    Options, Proof, Verdict, compare,
    compiled::{compile, function},
    relation::{Operand, Order},
};
use hydrogen_ir::FunctionId;
use hydrogen_term::Smtlib;

fn f(module: &Module) -> FunctionId {
    function(module, "f")
}

const OLD: &str = "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s = s * 3 + a[i] * 4; return s; }";
const NEW: &str = "unsigned f(const unsigned *a, unsigned n) { unsigned s = 0, k = n; while (k) { s = 4 * *a++ + 3 * s; k--; } return s; }";

/// Whether the certificate of the pair, after this damage, is still accepted.
fn accepted(damage: impl FnOnce(&mut Relations)) -> bool {
    let (old, new) = (compile(OLD), compile(NEW));
    let old = Subject { module: &old, function: f(&old) };
    let new = Subject { module: &new, function: f(&new) };
    let mut certificate = proved(old, new);
    damage(&mut certificate);
    let z3: Box<dyn Solver + Send> = Box::new(Smtlib::z3());
    check(&Certificate::Relations(certificate), old, new, z3, Duration::from_secs(60)).is_ok()
}

fn at_loop(certificate: &mut Relations) -> &mut Claims {
    let claims = certificate.relations.iter_mut();
    claims.into_iter().find(|claims| matches!(claims.places, (Target::Head(_), Target::Head(_)))).unwrap()
}

#[test]
fn a_certificate_is_accepted_by_another_solver() {
    assert!(accepted(|_| {}));
}

#[test]
fn other_code_is_rejected() {
    assert!(!accepted(|certificate| certificate.new.0[0] ^= 1));
    assert!(!accepted(|certificate| certificate.old.0[3] ^= 1));
}

#[test]
fn a_wrong_relation_is_rejected() {
    assert!(!accepted(|certificate| {
        for (_, forms) in &mut at_loop(certificate).forms {
            forms.iter_mut().for_each(|form| form.constant ^= 1);
        }
    }));
}

#[test]
fn a_false_claim_is_rejected() {
    assert!(!accepted(|certificate| {
        let claims = at_loop(certificate);
        let (var, _) = claims.forms[0];
        claims.facts.push(Fact { order: Order::Equal, left: Operand::New(var), right: Operand::Number(77) });
    }));
}

#[test]
fn a_missing_relation_is_rejected() {
    assert!(!accepted(|certificate| at_loop(certificate).forms.clear()));
    assert!(!accepted(|certificate| certificate.relations.clear()));
}

#[test]
fn a_wrong_alignment_is_rejected() {
    assert!(!accepted(|certificate| {
        certificate.steps.iter_mut().for_each(|(_, _, steps)| *steps += 1);
    }));
}

/// The certificate of the pair.
fn proved(old: Subject, new: Subject) -> Relations {
    // A busy machine needs its time.
    let options = Options { time: Duration::from_secs(120), ..Options::default() };
    match compare(old, new, &options) {
        Verdict::Equal(Proof { certificate: Some(Certificate::Relations(relations)), .. }) => relations,
        other => panic!("the pair is not proved: {other:?}"),
    }
}

#[test]
fn every_claim_that_is_made_false_is_rejected() {
    let (old, new) = (compile(OLD), compile(NEW));
    let old = Subject { module: &old, function: f(&old) };
    let new = Subject { module: &new, function: f(&new) };
    let certificate = proved(old, new);
    let mut damaged = Vec::new();
    for (at, claims) in certificate.relations.iter().enumerate() {
        for (var, (_, forms)) in claims.forms.iter().enumerate() {
            for form in 0..forms.len() {
                let mut one = certificate.clone();
                let damage = &mut one.relations[at].forms[var].1[form];
                damage.constant = damage.constant.wrapping_add(1);
                damaged.push(one);
            }
        }
    }
    assert!(damaged.len() > 2);
    for one in damaged {
        let z3: Box<dyn Solver + Send> = Box::new(Smtlib::z3());
        let one = Certificate::Relations(one);
        assert!(check(&one, old, new, z3, Duration::from_secs(60)).is_err(), "{one:?}");
    }
}

#[test]
fn a_proof_about_other_functions_is_rejected_even_under_their_names() {
    let (old, new) = (compile(OLD), compile(NEW));
    let certificate =
        proved(Subject { module: &old, function: f(&old) }, Subject { module: &new, function: f(&new) });
    for (right, wrong) in
        [("3 * s", "5 * s"), ("while (k)", "while (k > 1)"), ("s = 0", "s = 1"), ("*a++", "*a")]
    {
        let other = compile(&NEW.replace(right, wrong));
        let other = Subject { module: &other, function: f(&other) };
        let mut moved = certificate.clone();
        moved.new = exact_hash(other.module, other.function).unwrap();
        let z3: Box<dyn Solver + Send> = Box::new(Smtlib::z3());
        let old = Subject { module: &old, function: f(&old) };
        let moved = Certificate::Relations(moved);
        assert!(check(&moved, old, other, z3, Duration::from_secs(60)).is_err(), "{wrong}");
    }
}

/// A function of many branches: its proof has cuts besides loops.
fn of_pieces() -> [String; 2] {
    let branch = |n: u32| format!("if (x & {}) r = g(r + {n}); else r ^= {n};\n", 1u32 << n);
    let branches: String = (0..8).map(branch).collect();
    ["r + r", "2 * r"].map(|last| {
        format!(
            "int g(int); int f(int x) {{ int r = 0;\n{branches} x = {last}; if (x > 3) g(x); return x; }}"
        )
    })
}

#[test]
fn cuts_are_part_of_a_certificate() {
    let [old, new] = of_pieces().map(|code| compile(&code));
    let old = Subject { module: &old, function: f(&old) };
    let new = Subject { module: &new, function: f(&new) };
    let z3 = || -> Box<dyn Solver + Send> { Box::new(Smtlib::z3()) };
    let time = Duration::from_secs(60);
    let whole = proved(old, new);
    assert!(!whole.cuts.is_empty());
    assert_eq!(check(&Certificate::Relations(whole.clone()), old, new, z3(), time), Ok(()));
    // Without the cuts, the claims are about places that are none.
    let mut damaged = whole.clone();
    damaged.cuts.clear();
    assert!(check(&Certificate::Relations(damaged), old, new, z3(), time).is_err());
    // A place that is no node.
    let mut damaged = whole.clone();
    damaged.cuts.push((9999, 0));
    assert!(check(&Certificate::Relations(damaged), old, new, z3(), time).is_err());
    // Less is claimed than is needed.
    let mut damaged = whole;
    damaged.relations.iter_mut().for_each(|claims| claims.forms.clear());
    assert!(check(&Certificate::Relations(damaged), old, new, z3(), time).is_err());
}
