//! The terms of a run against the table of meanings: every operator is run in the machine with symbolic operands, and what came out is
//! compared for all operands of one byte, and for wider ones at random.

use crate::concolic::Concolic;
use crate::path::Kind;
use crate::shape::{Incoming, Made};
use crate::symbolic::Symbolic;
use hydrogen_evidence::{Argument, Call, Input, Value as Given};
use hydrogen_ir::CTypeId;
use hydrogen_ir::layout::{Slot, SlotKind};
use hydrogen_machine::{End, Limits, Passing, Program, World};
use hydrogen_semantics::Number;
use hydrogen_term::{Evaluator, Model, Pool, Sort, Term, Value};
use hydrogen_testkit::operators::{self, Operator};

/// The call of the function with these numbers, all of which are symbols.
fn made(operator: &Operator, values: &[Number]) -> Made {
    let mut call = Call { function: "f".into(), ..Call::default() };
    let mut parameters = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let name = format!("p{at}");
        let bytes = u64::from(operator.operands[at].1.width().div_ceil(8).next_power_of_two());
        let kind = SlotKind::Number { signed: false };
        let slot = Slot { at: 0, bytes, path: name.clone(), kind, ctype: CTypeId(0) };
        let value = Given::number(bytes as u32 * 8, value.bits() as u64);
        call.arguments.push(Argument { name: name.clone(), value });
        let (ctype, passing) = (slot.ctype, Passing::Direct(at));
        let (slot, functions) = (Some(slot), Vec::new());
        parameters.push(Incoming { name, ctype, slot, passing, target: None, used: true, functions });
    }
    Made { call, parameters, objects: Vec::new(), globals: Vec::new() }
}

/// What a run found of an operator: its result and what must hold for it not to fault.
struct Found {
    pool: Pool,
    result: Term,
    fine: Vec<Term>,
    variables: Vec<Term>,
}

fn run(operator: &Operator, program: &Program, values: &[Number]) -> Found {
    let (symbolic, made) = (Symbolic::default(), made(operator, values));
    let input = Input { call: Some(made.call.clone()), ..Input::default() };
    let world = World::default().with_input(&input);
    let mut concolic = Concolic::new(program, &symbolic, &world, Pool::new());
    concolic.made = Some(made);
    let run = program.run_with(world, Limits::default(), concolic);
    let text = &operator.instruction;
    assert!(matches!(run.end, End::Exit(_)), "{text} of {values:?}: {:?}", run.end);
    let mut found = run.monitor;
    assert!(found.concretised.is_empty(), "{text}: {:?}", found.concretised);
    let width = operator.result.1.width();
    let [output] = found.outputs.as_slice() else { panic!("{text}: no result depends on the operands") };
    let result = found.pool.resize_unsigned(output.value, width);
    let fine = found.path.iter().filter(|one| one.kind == Kind::NoFault).map(|one| one.term).collect();
    let name = |(at, _): (usize, &Number)| {
        let bytes = operator.operands[at].1.width().div_ceil(8).next_power_of_two();
        found.pool.var(&format!("p{at}"), Sort::Bits(bytes * 8))
    };
    let variables = values.iter().enumerate().map(name).collect();
    Found { pool: found.pool, result, fine, variables }
}

fn check(list: Vec<Operator>, random: usize) {
    for operator in list {
        if operator.operands.iter().chain([&operator.result]).any(|(_, kind)| kind.width() > 64) {
            continue;
        }
        let program = Program::load(vec![operator.module()], None);
        let inputs = operator.inputs(random);
        // Operators that can fault do not with these.
        let first = inputs
            .iter()
            .rev()
            .find(|values| operator.said(values).strictly.is_none())
            .expect("some are fine");
        let found = run(&operator, &program, first);
        for values in &inputs {
            let mut model = Model::new();
            for (variable, value) in found.variables.iter().zip(values) {
                let width = found.pool.width(*variable);
                model.set(*variable, Value::Bits { width, value: value.bits() });
            }
            let mut evaluator = Evaluator::new(&found.pool, &model);
            let faults = found.fine.iter().any(|fine| !evaluator.holds(*fine));
            let said = operator.said(values);
            let text = &operator.instruction;
            assert_eq!(faults, said.fault.is_some(), "{text} of {values:?}");
            assert_eq!(evaluator.bits(found.result), said.value, "{text} of {values:?}");
        }
    }
}

#[test]
fn operators_on_bytes_mean_what_the_table_says() {
    check(operators::integers(8), 2000);
}

#[test]
fn operators_on_wider_numbers_mean_what_the_table_says() {
    for width in [1, 16, 24, 32, 64] {
        check(operators::integers(width), 300);
    }
    check(operators::pointers(), 1000);
}

#[test]
fn floating_point_means_what_the_table_says() {
    check(operators::floating_point(), 300);
}
