//! The solver against a naive fixpoint on random constraint systems.
//!
//! The naive solver keeps plain ordered sets and applies every constraint until nothing changes: no waves, no
//! collapsing, no differences. It shares only the arithmetic of offsets.

use super::address::Move;
use super::memory::ObjectState;
use super::shape::{Offset, Region, Shape};
use super::solver::{Complex, ESCAPED, Solver, UNKNOWN};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Debug, Clone)]
enum Constraint {
    Address { to: usize, object: usize, at: u64 },
    Copy { from: usize, to: usize },
    Displace { from: usize, to: usize, by: Move },
    Load { pointer: usize, to: usize, at: u32 },
    Store { pointer: usize, value: usize, at: u32 },
    Escape { value: usize },
    Copies { to: usize, from: usize, length: Option<u64> },
}

#[derive(Debug, Clone)]
struct System {
    shapes: Vec<Shape>,
    variables: usize,
    constraints: Vec<Constraint>,
}

/// Three kinds of objects: a pointer, a structure of four, a structure that holds an array of pairs.
fn shapes() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape { regions: vec![], size: 8 }),
        Just(Shape { regions: vec![], size: 32 }),
        Just(Shape { regions: vec![Region { start: 8, end: 8 + 48, stride: 16 }], size: 64 }),
    ]
}

fn moves() -> impl Strategy<Value = Move> {
    let step = (-3i64..6).prop_map(|words| Move::bytes(words * 8));
    let walk =
        prop_oneof![Just(8u64), Just(16), Just(1)].prop_map(|s| Move::By { distance: 0, strides: vec![s] });
    prop_oneof![6 => step, 2 => walk, 1 => Just(Move::Smear)]
}

fn systems() -> impl Strategy<Value = System> {
    (prop::collection::vec(shapes(), 1..5), 2usize..9).prop_flat_map(|(shapes, variables)| {
        let objects = shapes.len();
        let var = move || 0..variables;
        let at = prop_oneof![4 => Just(0u32), 1 => Just(8u32)];
        let constraint = prop_oneof![
            4 => (var(), 0..objects, 0u64..5).prop_map(|(to, object, word)| Constraint::Address {
                to,
                object,
                at: word * 8
            }),
            4 => (var(), var()).prop_map(|(from, to)| Constraint::Copy { from, to }),
            2 => (var(), var(), moves()).prop_map(|(from, to, by)| Constraint::Displace { from, to, by }),
            3 => (var(), var(), at.clone()).prop_map(|(pointer, to, at)| Constraint::Load { pointer, to, at }),
            3 => (var(), var(), at).prop_map(|(pointer, value, at)| Constraint::Store { pointer, value, at }),
            1 => var().prop_map(|value| Constraint::Escape { value }),
            2 => (var(), var(), prop::option::of(1u64..4)).prop_map(|(to, from, words)| Constraint::Copies {
                to,
                from,
                length: words.map(|words| words * 8)
            }),
        ];
        prop::collection::vec(constraint, 1..24).prop_map(move |constraints| System {
            shapes: shapes.clone(),
            variables,
            constraints,
        })
    })
}

/// An object (`None` is the unknown) and an offset.
type Point = (Option<usize>, Offset);
type Points = BTreeSet<Point>;

const END: u64 = 48;

#[derive(Default)]
struct Naive {
    /// Without shapes, offsets are exact numbers below [`END`], and walks take a few steps: less than what a
    /// program could do, and exactly what it would.
    typed: bool,
    shapes: Vec<Shape>,
    variables: Vec<Points>,
    cells: BTreeMap<(usize, u64), Points>,
    anywhere: BTreeMap<usize, Points>,
    escaped: Points,
}

impl Naive {
    fn normal(&self, object: usize, offset: Offset) -> Offset {
        match offset {
            _ if !self.typed => offset,
            Offset::At(at) if at <= self.shapes[object].size => Offset::At(self.shapes[object].normal(at)),
            _ => Offset::Anywhere,
        }
    }

    fn displaced(&self, (object, offset): Point, by: &Move) -> Vec<Point> {
        let Some(object) = object else { return vec![(None, offset)] };
        let (Offset::At(from), Move::By { distance, strides }) = (offset, by) else {
            return vec![(Some(object), Offset::Anywhere)];
        };
        if !self.typed {
            let steps = strides.first().copied().unwrap_or(0);
            return (0..4)
                .filter_map(|index| from.checked_add_signed(*distance)?.checked_add(index * steps))
                .filter(|&at| at < END && at % 8 == 0)
                .map(|at| (Some(object), Offset::At(at)))
                .collect();
        }
        let mut places = Vec::new();
        match distance {
            0 => places.push(Offset::At(from)),
            _ => self.shapes[object].step(from, *distance, &mut places),
        }
        for &stride in strides {
            for place in &mut places {
                if let Offset::At(at) = *place {
                    *place = self.shapes[object].walk(at, stride);
                }
            }
        }
        places.into_iter().map(|place| (Some(object), self.normal(object, place))).collect()
    }

    fn loaded(&self, (object, offset): Point) -> Points {
        let Some(object) = object else { return [(None, Offset::Anywhere)].into() };
        let mut all: Points = self.anywhere.get(&object).into_iter().flatten().copied().collect();
        for (&(owner, at), cell) in &self.cells {
            if owner == object && (offset == Offset::Anywhere || offset == Offset::At(at)) {
                all.extend(cell);
            }
        }
        if self.escaped.iter().any(|point| point.0 == Some(object)) {
            all.insert((None, Offset::Anywhere));
        }
        all
    }

    fn store(&mut self, (object, offset): Point, value: &Points) {
        match (object, offset) {
            (None, _) => self.escaped.extend(value),
            (Some(object), Offset::At(at)) => self.cells.entry((object, at)).or_default().extend(value),
            (Some(object), Offset::Anywhere) => self.anywhere.entry(object).or_default().extend(value),
        }
    }

    fn size(&self) -> usize {
        let contents = self.cells.values().chain(self.anywhere.values()).chain(&self.variables);
        contents.map(BTreeSet::len).sum::<usize>() + self.escaped.len()
    }

    fn solve(system: &System, typed: bool) -> Self {
        let variables = vec![Points::new(); system.variables];
        let mut naive = Naive { typed, shapes: system.shapes.clone(), variables, ..Default::default() };
        loop {
            let before = naive.size();
            for constraint in &system.constraints {
                naive.apply(constraint);
            }
            for point in naive.escaped.clone() {
                if let Some(object) = point.0 {
                    let seen = naive.loaded((Some(object), Offset::Anywhere));
                    naive.escaped.extend(seen.into_iter().filter(|point| point.0.is_some()));
                }
            }
            if naive.size() == before {
                return naive;
            }
        }
    }

    fn apply(&mut self, constraint: &Constraint) {
        match constraint {
            Constraint::Address { to, object, at } => {
                let offset = self.normal(*object, Offset::At(*at));
                self.variables[*to].insert((Some(*object), offset));
            }
            Constraint::Copy { from, to } => {
                let set = self.variables[*from].clone();
                self.variables[*to].extend(set);
            }
            Constraint::Displace { from, to, by } => {
                for point in self.variables[*from].clone() {
                    let places = self.displaced(point, by);
                    self.variables[*to].extend(places);
                }
            }
            Constraint::Load { pointer, to, at } => {
                for point in self.variables[*pointer].clone() {
                    for place in self.displaced(point, &Move::bytes(i64::from(*at))) {
                        let loaded = self.loaded(place);
                        self.variables[*to].extend(loaded);
                    }
                }
            }
            Constraint::Store { pointer, value, at } => {
                let value = self.variables[*value].clone();
                for point in self.variables[*pointer].clone() {
                    for place in self.displaced(point, &Move::bytes(i64::from(*at))) {
                        self.store(place, &value);
                    }
                }
            }
            Constraint::Escape { value } => {
                let value = self.variables[*value].clone();
                self.escaped.extend(value);
            }
            Constraint::Copies { to, from, length } => {
                for source in self.variables[*from].clone() {
                    for destination in self.variables[*to].clone() {
                        self.copy(source, destination, *length);
                    }
                }
            }
        }
    }

    fn copy(&mut self, source: Point, destination: Point, length: Option<u64>) {
        let ((Some(object), Offset::At(from)), (Some(_), Offset::At(to))) = (source, destination) else {
            let all = self.loaded((source.0, Offset::Anywhere));
            return self.store((destination.0, Offset::Anywhere), &all);
        };
        if let Some(unplaced) = self.anywhere.get(&object).cloned() {
            self.store((destination.0, Offset::Anywhere), &unplaced);
        }
        for word in 0..length.unwrap_or(END) / 8 {
            if let Some(cell) = self.cells.get(&(object, from + word * 8)).cloned()
                && to + word * 8 < END
            {
                self.store((destination.0, Offset::At(to + word * 8)), &cell);
            }
        }
    }
}

/// Solves with the real solver; the objects' shapes are replaced by unknown ones when `typed` is false.
fn solve(system: &System, typed: bool) -> (Solver, Vec<u32>) {
    let mut solver = Solver::new();
    let objects: Vec<_> = system
        .shapes
        .iter()
        .map(|shape| {
            let shape = typed.then(|| Arc::new(shape.clone()));
            solver.add_object(ObjectState { shape, ..Default::default() })
        })
        .collect();
    let variables: Vec<_> = (0..system.variables).map(|_| solver.fresh()).collect();
    for constraint in &system.constraints {
        match constraint {
            Constraint::Address { to, object, at } => {
                let loc = solver.locate(objects[*object], Offset::At(*at));
                solver.insert(variables[*to], loc);
            }
            Constraint::Copy { from, to } => solver.copy(variables[*from], variables[*to]),
            Constraint::Displace { from, to, by } => {
                solver.displace(variables[*from], variables[*to], by.clone());
            }
            Constraint::Load { pointer, to, at } => {
                solver.when(variables[*pointer], Complex::Load { to: variables[*to], at: *at });
            }
            Constraint::Store { pointer, value, at } => {
                solver.when(variables[*pointer], Complex::Store { value: variables[*value], at: *at });
            }
            Constraint::Escape { value } => solver.copy(variables[*value], ESCAPED),
            Constraint::Copies { to, from, length } => {
                solver.add_memory_copy(variables[*to], variables[*from], *length);
            }
        }
    }
    solver.settle();
    assert!(solver.run(u64::MAX));
    (solver, variables)
}

/// A set with the unknown stands for all escaped objects, listed or not.
fn canonical(points: &Points, escaped: impl Fn(usize) -> bool) -> Points {
    let unknown = points.iter().any(|point| point.0.is_none());
    points.iter().copied().filter(|point| !(unknown && point.0.is_some_and(&escaped))).collect()
}

fn points(solver: &Solver, var: u32) -> Points {
    let point = |loc: u32| {
        let location = &solver.locations[loc as usize];
        let object = (loc != UNKNOWN).then(|| location.object as usize - 1);
        (object, location.offset)
    };
    solver.set(var).iter().map(point).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn typed_objects_give_the_naive_fixpoint(mut system in systems()) {
        system.constraints.retain(|constraint| !matches!(constraint, Constraint::Copies { .. }));
        let naive = Naive::solve(&system, true);
        let (solver, variables) = solve(&system, true);
        for (index, &var) in variables.iter().enumerate() {
            let escaped = |object: usize| naive.escaped.iter().any(|point| point.0 == Some(object));
            let found = canonical(&points(&solver, var), escaped);
            let expected = canonical(&naive.variables[index], escaped);
            // After many waves circular moves are widened; nothing may be lost by that.
            if solver.waves < 12 {
                prop_assert_eq!(&found, &expected, "variable {}", index);
            }
            for (object, offset) in expected {
                let covered = found.contains(&(object, offset)) || found.contains(&(object, Offset::Anywhere));
                prop_assert!(covered, "variable {} lacks {:?}", index, (object, offset));
            }
        }
    }

    #[test]
    fn objects_of_unknown_type_lose_nothing(system in systems()) {
        let naive = Naive::solve(&system, false);
        let (solver, variables) = solve(&system, false);
        for (index, &var) in variables.iter().enumerate() {
            let found = points(&solver, var);
            let escaped = |object: usize| solver.objects[object + 1].escaped;
            let unknown = found.iter().any(|point| point.0.is_none());
            for &(object, offset) in &naive.variables[index] {
                if unknown && object.is_some_and(escaped) {
                    continue;
                }
                // Once something walks through an object, its offsets count modulo the stride.
                let modulus = object.map_or(0, |object| solver.objects[object + 1].modulus);
                let class = match offset {
                    Offset::At(at) if modulus > 0 => Offset::At(at % modulus),
                    Offset::Anywhere if modulus == 1 => Offset::At(0),
                    _ => offset,
                };
                let covered = found.contains(&(object, class)) || found.contains(&(object, Offset::Anywhere));
                prop_assert!(covered, "variable {} lacks {:?}", index, (object, offset));
            }
        }
    }
}
