//! Calls through tables and from outside, the fallback, and flow graphs of functions.

mod build;

use build::{Build, load};
use hydrogen_flow::{CallGraph, Code, Control, Flow, Options, PointsTo};
use hydrogen_ir::*;

/// `main` calls an entry of a constant table of functions; `hook` calls its parameter; `lonely` is called by none.
fn program() -> Build {
    let mut b = Build::new();
    let (ptr, i64, triple) = (b.ptr, b.i64, b.triple);
    let main = b.function("main", ptr, &[]);
    let targets = [b.function("red", ptr, &[]), b.function("blue", ptr, &[])];
    let hook = b.function("hook", ptr, &[ptr]);
    let lonely = b.function("lonely", ptr, &[]);
    let zero = b.constant(Const::Int { ty: i64, bits: 0 });
    let [red, blue] = targets.map(|id| b.constant(Const::Function(id)));
    let table = b.global("table", triple, Const::Aggregate { ty: triple, elements: vec![red, zero, blue] });
    let indices = vec![b.int(0), b.int(2)];
    let base = b.address(Const::Global(table));
    let last = |at: u32| Operand::Instruction(InstructionId(at));
    let call = b.call(last(1), targets[0], vec![]);
    let main_code = vec![
        (ptr, Op::ElementAddress { source: triple, base, indices, inbounds: true }),
        (ptr, load(last(0))),
        (ptr, call),
        (b.void, Op::Return { value: Some(last(2)) }),
    ];
    b.define(main, main_code);
    let call = b.call(Operand::Parameter(0), targets[0], vec![]);
    let hook_code = vec![(ptr, call), (b.void, Op::Return { value: Some(last(0)) })];
    b.define(hook, hook_code);
    for id in [targets[0], targets[1], lonely] {
        let code = vec![(b.void, Op::Return { value: None })];
        b.define(id, code);
    }
    b.module.functions[hook.index()].linkage = Linkage::External;
    b
}

#[test]
fn a_field_of_a_table_calls_its_function_alone() {
    let b = program();
    let points_to = PointsTo::new(&b.module, &Options::default());
    let callees = points_to.callees(FunctionId(0), InstructionId(2));
    assert_eq!((callees.functions, callees.unknown), (vec![FunctionId(2)], false));
    assert_eq!(points_to.address_taken(), [FunctionId(1), FunctionId(2)]);
    let graph = CallGraph::new(&b.module, &points_to);
    let reached = graph.reachable_from([FunctionId(0)]);
    assert_eq!(reached, [Code::Function(FunctionId(0)), Code::Function(FunctionId(2))]);
    assert!(!graph.is_recursive(FunctionId(0)));
}

#[test]
fn what_outsiders_pass_is_unknown() {
    let b = program();
    let open = PointsTo::new(&b.module, &Options::default());
    assert!(open.callees(FunctionId(3), InstructionId(0)).unknown);
    let closed = PointsTo::new(&b.module, &Options { closed: true, ..Default::default() });
    let callees = closed.callees(FunctionId(3), InstructionId(0));
    assert!(!callees.unknown && callees.functions.is_empty(), "nobody calls hook in a closed program");
    let graph = CallGraph::new(&b.module, &open);
    assert!(graph.is_recursive(FunctionId(3)), "unknown code may call hook again");
}

#[test]
fn without_budget_everything_may_be_called() {
    let b = program();
    let points_to = PointsTo::new(&b.module, &Options { budget: 0, ..Default::default() });
    assert!(!points_to.is_complete());
    let callees = points_to.callees(FunctionId(0), InstructionId(2));
    assert_eq!((callees.functions, callees.unknown), (vec![FunctionId(1), FunctionId(2)], true));
    assert!(points_to.objects().all(|(id, _)| points_to.is_escaped(id)));
}

#[test]
fn names_alone_make_a_call_graph() {
    let mut b = program();
    let calls = [Callee::Direct("red".into()), Callee::Direct("puts".into()), Callee::Indirect("f".into())];
    b.module.functions[0].calls =
        calls.map(|callee| Call { piece: PieceId(0), callee, instruction: None }).to_vec();
    b.module.functions[1].calls.clear();
    let graph = CallGraph::of_names(&b.module);
    let reached = graph.reachable_from([FunctionId(1)]);
    assert_eq!(reached, [Code::Function(FunctionId(1))]);
    assert!(graph.reachable_from([FunctionId(0)]).contains(&Code::Unknown));
}

#[test]
fn blocks_carry_the_outcomes_of_their_switch() {
    let mut b = program();
    let value = b.int(7);
    let case = |b: &mut Build, value: i64, target: u32| {
        let Operand::Const(value) = b.int(value) else { unreachable!("integers are constants") };
        Case { value, target: BlockId(target) }
    };
    let cases = vec![case(&mut b, -1, 1), case(&mut b, 5, 1)];
    let ops = [
        Op::Switch { value, default: BlockId(2), cases },
        Op::Jump { target: BlockId(2) },
        Op::Return { value: None },
    ];
    let ty = b.void;
    let instructions = ops.into_iter().map(|op| Instruction { ty, op, piece: PieceId(0), location: None });
    let blocks = (0..3).map(|at| Block { label: String::new(), first: InstructionId(at), count: 1 });
    let body = Body { blocks: blocks.collect(), instructions: instructions.collect(), variables: vec![] };
    let dependence = Flow::of_blocks(&b.module, &body).control_dependence();
    let outcome = |text: &str| Control { branch: 0, outcome: EdgeKind::Case(text.into()) };
    assert_eq!(dependence.controls(1), [outcome("-1"), outcome("5")]);
    assert_eq!(dependence.controls(2), []);
}
