//! Random terms: what the constructors make of them must mean the same as the plain term, and survive moving, printing and substitution.

#![allow(clippy::unwrap_used)]

mod common;

use common::World;
use hydrogen_term::{Evaluator, Importer, Pool, Substitution};
use proptest::{collection::vec, prelude::*};

/// The same program in a pool that simplifies and in one that does not.
fn both(program: &[[u8; 4]]) -> [(Pool, World); 2] {
    [Pool::new(), Pool::raw()].map(|mut pool| {
        let mut world = World::new(&mut pool);
        world.run(&mut pool, program);
        (pool, world)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplified_and_raw_terms_have_the_same_values(program in vec(any::<[u8; 4]>(), 1..60), numbers in vec(any::<u64>(), 40..80)) {
        let [(pool, world), (raw_pool, raw_world)] = both(&program);
        for numbers in numbers.chunks(20) {
            let (model, raw_model) = (world.model(&pool, numbers), raw_world.model(&raw_pool, numbers));
            let (mut simple, mut plain) = (Evaluator::new(&pool, &model), Evaluator::new(&raw_pool, &raw_model));
            for (&term, &raw_term) in world.terms.iter().zip(&raw_world.terms) {
                let (value, expected) = (simple.value(term), plain.value(raw_term));
                prop_assert_eq!(value, expected, "{}\nbecame\n{}", raw_pool.to_smt(raw_term), pool.to_smt(term));
            }
        }
    }

    #[test]
    fn what_else_a_pool_holds_does_not_show(program in vec(any::<[u8; 4]>(), 1..60), other in vec(any::<[u8; 4]>(), 0..20)) {
        let mut fresh = Pool::new();
        let mut world = World::new(&mut fresh);
        world.run(&mut fresh, &program);
        let mut used = Pool::new();
        used.var("y64", hydrogen_term::Sort::Bits(64));
        World::new(&mut used).run(&mut used, &other);
        let mut again = World::new(&mut used);
        again.run(&mut used, &program);
        let (mut importer, mut target) = (Importer::new(&fresh), Pool::new());
        let (mut from_used, mut used_target) = (Importer::new(&used), used.clone());
        for (&term, &same) in world.terms.iter().zip(&again.terms) {
            prop_assert_eq!(fresh.to_c(term), used.to_c(same));
            let (moved, moved_same) = (importer.import(&mut target, term), from_used.import(&mut used_target, same));
            prop_assert_eq!(target.to_c(moved), used_target.to_c(moved_same));
        }
    }

    #[test]
    fn substitution_is_evaluation_with_other_values(program in vec(any::<[u8; 4]>(), 1..50), numbers in vec(any::<u64>(), 20..40)) {
        let mut pool = Pool::new();
        let mut world = World::new(&mut pool);
        world.run(&mut pool, &program);
        let model = world.model(&pool, &numbers);
        // Replace each variable x by its x + 1, and compare with the value under the model where x is one more.
        let mut substitution = Substitution::default();
        let mut shifted = model.clone();
        for &leaf in &world.leaves {
            if let hydrogen_term::Sort::Bits(width) = pool.sort(leaf) {
                let one = pool.bits(width, 1);
                let more = pool.add(leaf, one);
                substitution.insert(leaf, more);
                shifted.set(leaf, Evaluator::new(&pool, &model).value(more));
            }
        }
        for &term in &world.terms {
            let replaced = pool.substitute_with(term, &mut substitution);
            prop_assert_eq!(Evaluator::new(&pool, &model).value(replaced), Evaluator::new(&pool, &shifted).value(term));
        }
    }
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let mut pool = Pool::new();
    let sort = hydrogen_term::Sort::Bits(32);
    let (x, y) = (pool.var("x", sort), pool.var("y", sort));
    let mut term = x;
    for _ in 0..200_000 {
        let product = pool.mul(term, y);
        term = pool.bitxor(product, x);
    }
    let mut other = Pool::new();
    let moved = other.import(&pool, term);
    assert_eq!(other.sort(moved), sort);
    let model = hydrogen_term::Model::new();
    assert_eq!(Evaluator::new(&pool, &model).bits(term), 0);
    assert!(pool.to_c(term).ends_with('…') || pool.to_c(term).contains('…'));
    assert!(pool.to_smt(term).len() > 1_000_000);
    let zero = pool.bits(32, 0);
    let gone = pool.substitute(term, &Substitution::from_iter([(x, zero)]));
    assert_eq!(gone, zero);
    assert_eq!(pool.variables(&[term]), [x, y]);
}
