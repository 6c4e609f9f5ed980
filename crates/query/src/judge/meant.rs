//! What conditions say of operators against the table of meanings: results and faults, for all operands of one byte and for wider ones at
//! random.

use crate::judge::fault::{Asked, Seen, raise};
use crate::meaning::eval::Eval;
use crate::meaning::shape::Shape;
use crate::meaning::sizes::Sizes;
use crate::meaning::state::{Terms, Value};
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{FunctionId, InstructionId, IntrinsicName, Op, Operand, intrinsic_of};
use hydrogen_library::Library;
use hydrogen_semantics::Number;
use hydrogen_term::{Evaluator, Model, Term, Value as Bits};
use hydrogen_testkit::operators::{self, Operator};
use std::sync::Arc;

/// The instruction of the operator, the first of its function.
const OPERATOR: InstructionId = InstructionId(0);

/// The number of a value; of a pointer, how far it leads into its object.
fn number(value: Value) -> Option<Term> {
    match value {
        Value::Int(term) | Value::Pointer(_, term) => Some(term),
        Value::Opaque => None,
    }
}

fn result(terms: &mut Terms, shape: &Shape) -> Option<Term> {
    let mut eval = Eval::new(terms, shape, "", 0);
    if let Op::Call { callee, arguments, .. } = shape.op(OPERATOR) {
        let IntrinsicName::Does(which) = intrinsic_of(&shape.named(callee)?.name) else { return None };
        let value = eval.intrinsic(which, arguments)?;
        eval.define(OPERATOR, value);
    } else {
        eval.instruction(OPERATOR);
    }
    let value = eval.operand(&Operand::Instruction(OPERATOR));
    number(value)
}

fn check(list: Vec<Operator>, random: usize) {
    let library = Library::empty();
    for operator in list {
        let text = &operator.instruction;
        let module = Arc::new(operator.module());
        let place = (ChainId(0), VersionId(0));
        let shape = Shape::of(&module, FunctionId(0), place, &[NodeId(0), NodeId(1)]).expect("it has a body");
        let mut terms = Terms::new();
        let result = result(&mut terms, &shape).unwrap_or_else(|| panic!("{text} is not followed"));
        let sizes = Sizes::default();
        let faults = [false, true].map(|strict| {
            let mut sites = Vec::new();
            raise(
                Eval::new(&mut terms, &shape, "", 0),
                (&library, &sizes, &Default::default(), Asked { strict, ..Asked::default() }),
                0,
                &mut Seen::new(),
                &mut sites,
            );
            sites
                .into_iter()
                .filter(|site| site.unsure.is_none())
                .map(|site| site.condition)
                .collect::<Vec<_>>()
        });
        let operands: Vec<Value> = (0..operator.operands.len() as u32)
            .map(|at| Eval::new(&mut terms, &shape, "", 0).operand(&Operand::Parameter(at)))
            .collect();
        for values in operator.inputs(random) {
            let model = model(&terms, &operands, &values);
            let mut evaluator = Evaluator::new(&terms.pool, &model);
            let said = operator.said(&values);
            // Whether a number fits the integer that it becomes is found by runs alone.
            let asked = |fault: Option<hydrogen_evidence::FaultKind>| {
                fault.is_some_and(|kind| kind != hydrogen_evidence::FaultKind::BadConversion)
            };
            for (conditions, expected) in faults.iter().zip([asked(said.fault), asked(said.strictly)]) {
                let found = conditions.iter().any(|condition| evaluator.holds(*condition));
                assert_eq!(found, expected, "{text} of {values:?}");
            }
            assert_eq!(evaluator.bits(result), said.value, "{text} of {values:?}");
        }
    }
}

/// All pointers lead into the same object.
fn model(terms: &Terms, operands: &[Value], values: &[Number]) -> Model {
    let mut model = Model::new();
    for (operand, value) in operands.iter().zip(values) {
        let mut set = |term: Term, value: u128| {
            model.set(term, Bits::Bits { width: terms.pool.width(term), value });
        };
        match *operand {
            Value::Int(term) => set(term, value.bits()),
            Value::Pointer(object, offset) => {
                set(object, 1);
                set(offset, value.bits());
            }
            Value::Opaque => {}
        }
    }
    model
}

#[test]
fn operators_on_bytes_mean_what_the_table_says() {
    check(operators::integers(8), 2000);
}

#[test]
fn operators_on_wider_numbers_mean_what_the_table_says() {
    for width in [1, 16, 24, 32, 64, 128] {
        check(operators::integers(width), 300);
    }
    check(operators::pointers(), 1000);
}

#[test]
fn floating_point_means_what_the_table_says() {
    check(operators::floating_point(), 300);
}
