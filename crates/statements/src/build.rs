//! Pieces and edges of a function body.

use crate::{CaseLabel, Expr, Stmt, canonical};
use hydrogen_ir::{Call, EdgeKind, FlowEdge, Piece, PieceId, Role, Span};
use std::collections::BTreeMap;

/// The statement graph of a function: piece 0 is the entry, piece 1 the exit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementGraph {
    /// The nodes that control can reach, in order of evaluation as written.
    pub pieces: Vec<Piece>,
    /// The edges, sorted, without repetitions.
    pub flow: Vec<FlowEdge>,
    /// The calls each piece makes, in order.
    pub calls: Vec<Call>,
    /// Jump statements, each with the piece that control would reach if it were not there; sorted.
    pub fall_through: Vec<(PieceId, PieceId)>,
}

/// Builds the statement graph of a function body. Statements that control cannot reach give no pieces, as in
/// compiled code.
pub fn build(body: &[Stmt]) -> StatementGraph {
    let mut builder = Builder::new();
    builder.statements(body);
    builder.finish()
}

/// Like [`build`], but statements that control cannot reach keep their pieces, without edges to them. The reader of
/// compiled code decides itself what is reached: a macro may hide a label.
pub fn build_all(body: &[Stmt]) -> StatementGraph {
    let mut builder = Builder::new();
    builder.statements(body);
    builder.complete(true)
}

/// Edges that wait for their target: where they leave, and how.
pub(crate) type Pending = Vec<(Node, Way)>;
/// A piece under construction, or a joint: a place without text, such as a label, that is contracted at the end.
pub(crate) type Node = usize;

/// How control goes from one node to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// Under this outcome.
    Flow(EdgeKind),
    /// Not at all: from a jump statement to what follows it in the text.
    Fall,
}

/// The way that is always taken.
pub(crate) const NEXT: Way = Way::Flow(EdgeKind::Next);

pub(crate) struct Builder {
    /// Every node; joints hold `None`.
    nodes: Vec<Option<Piece>>,
    edges: Vec<(Node, Node, Way)>,
    calls: Vec<(Node, hydrogen_ir::Callee)>,
    /// What flows into the next piece.
    pub(crate) pending: Pending,
    pub(crate) statement: u32,
    labels: BTreeMap<String, Node>,
    indirect: Vec<Node>,
    loops: Vec<Loop>,
    switches: Vec<Node>,
    defaults: Vec<bool>,
}

/// Where `break` and `continue` lead.
struct Loop {
    breaks: Pending,
    /// The joint that `continue` reaches; a `switch` has none of its own.
    next: Option<Node>,
}

const ENTRY: Node = 0;
const EXIT: Node = 1;

impl Builder {
    fn new() -> Self {
        let synthetic = |role| Piece { role, statement: 0, part: 0, text: String::new(), span: None };
        Self {
            nodes: vec![Some(synthetic(Role::Entry)), Some(synthetic(Role::Exit))],
            edges: Vec::new(),
            calls: Vec::new(),
            pending: vec![(ENTRY, NEXT)],
            statement: 0,
            labels: BTreeMap::new(),
            indirect: Vec::new(),
            loops: Vec::new(),
            switches: Vec::new(),
            defaults: Vec::new(),
        }
    }

    fn node(&mut self, piece: Option<Piece>) -> Node {
        self.nodes.push(piece);
        self.nodes.len() - 1
    }

    /// Lets everything pending flow into `node`.
    fn arrive(&mut self, node: Node) {
        for (from, kind) in std::mem::take(&mut self.pending) {
            self.edges.push((from, node, kind));
        }
    }

    /// Places a joint here and goes on behind it.
    fn joint(&mut self) -> Node {
        let node = self.node(None);
        self.pass(node);
        node
    }

    fn pass(&mut self, joint: Node) {
        self.arrive(joint);
        self.pending = vec![(joint, NEXT)];
    }

    /// Places a piece here; nothing is pending afterwards.
    pub(crate) fn piece(&mut self, role: Role, text: &str, span: Span) -> Node {
        let statement = self.statement;
        let node =
            self.node(Some(Piece { role, statement, part: 0, text: text.to_owned(), span: Some(span) }));
        self.arrive(node);
        node
    }

    /// Places a piece for an expression's own computation, with its calls.
    pub(crate) fn own(&mut self, role: Role, value: &Expr) -> Node {
        let node = self.piece(role, &value.text, value.span);
        self.calls.extend(value.calls.iter().map(|callee| (node, callee.clone())));
        node
    }

    /// A whole expression in value position, as a piece behind the pieces of its parts.
    fn evaluate(&mut self, role: Role, value: &Expr) -> Node {
        self.parts(value);
        let node = self.own(role, value);
        self.pending = vec![(node, NEXT)];
        node
    }

    pub(crate) fn statements(&mut self, body: &[Stmt]) {
        for statement in body {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &Stmt) {
        if !matches!(statement, Stmt::Block(_) | Stmt::Case { .. } | Stmt::Label { .. } | Stmt::Empty) {
            self.statement += 1;
        }
        match statement {
            Stmt::Block(body) => self.statements(body),
            Stmt::Expression { value, no_return } => {
                self.evaluate(Role::Expression, value);
                if *no_return {
                    self.pending.clear();
                }
            }
            Stmt::Declaration(value) => {
                self.evaluate(Role::Declaration, value);
            }
            Stmt::Opaque(value) => {
                self.evaluate(Role::Opaque, value);
            }
            Stmt::Asm { value, labels } => self.asm(value, labels),
            Stmt::If { condition, then, otherwise } => {
                let (holds, fails) = self.condition(condition, Role::If);
                self.pending = holds;
                self.one(then);
                let after_then = std::mem::replace(&mut self.pending, fails);
                if let Some(otherwise) = otherwise {
                    self.one(otherwise);
                }
                self.pending.extend(after_then);
            }
            Stmt::While { condition, body } => {
                let head = self.joint();
                let (holds, fails) = self.loop_condition(condition, Role::While);
                self.pending = holds;
                let breaks = self.looped(body, head);
                self.arrive(head);
                self.pending = fails;
                self.pending.extend(breaks);
            }
            Stmt::DoWhile { body, condition } => {
                let number = self.statement;
                let head = self.joint();
                let next = self.node(None);
                let breaks = self.looped(body, next);
                self.pass(next);
                let after = std::mem::replace(&mut self.statement, number);
                let (holds, fails) = self.loop_condition(condition, Role::DoWhile);
                self.statement = after;
                self.pending = holds;
                self.arrive(head);
                self.pending = fails;
                self.pending.extend(breaks);
            }
            Stmt::For { init, condition, step, body } => self.counted(init, condition, step.as_ref(), body),
            Stmt::Switch { value, body } => self.switch(value, body),
            Stmt::Case { label, body } => {
                if let Some(&switch) = self.switches.last() {
                    let kind = match label {
                        CaseLabel::Value(text) => EdgeKind::Case(canonical(text)),
                        CaseLabel::Default => {
                            *self.defaults.last_mut().expect("one entry per switch") = true;
                            EdgeKind::Default
                        }
                    };
                    self.pending.push((switch, Way::Flow(kind)));
                }
                self.one(body);
            }
            Stmt::Label { name, body } => {
                let joint = self.label(name);
                self.pass(joint);
                self.one(body);
            }
            Stmt::Goto { label, span } => {
                let node = self.piece(Role::Goto, &format!("goto {label}"), *span);
                let target = self.label(label);
                self.edges.push((node, target, NEXT));
                self.fall(node);
            }
            Stmt::GotoIndirect(value) => {
                self.parts(value);
                let node = self.own(Role::Goto, value);
                self.indirect.push(node);
                self.fall(node);
            }
            Stmt::Break(span) => {
                let node = self.piece(Role::Break, "break", *span);
                match self.loops.last_mut() {
                    Some(inner) => inner.breaks.push((node, NEXT)),
                    None => self.edges.push((node, EXIT, NEXT)),
                }
                self.fall(node);
            }
            Stmt::Continue(span) => {
                let node = self.piece(Role::Continue, "continue", *span);
                let target = self.loops.iter().rev().find_map(|inner| inner.next).unwrap_or(EXIT);
                self.edges.push((node, target, NEXT));
                self.fall(node);
            }
            Stmt::Return(value) => {
                let node = self.evaluate(Role::Return, value);
                self.edges.push((node, EXIT, NEXT));
                self.fall(node);
            }
            Stmt::Config { span, branches } => self.config(*span, branches),
            Stmt::Empty => {}
        }
    }

    /// Behind a jump statement nothing flows; what follows is where control would be without it.
    fn fall(&mut self, jump: Node) {
        self.pending = vec![(jump, Way::Fall)];
    }

    fn label(&mut self, name: &str) -> Node {
        if let Some(&joint) = self.labels.get(name) {
            return joint;
        }
        let joint = self.node(None);
        self.labels.insert(name.to_owned(), joint);
        joint
    }

    /// A loop's body; gives what its `break`s leave pending. What the body leaves pending stays so.
    fn looped(&mut self, body: &Stmt, next: Node) -> Pending {
        self.loops.push(Loop { breaks: Vec::new(), next: Some(next) });
        self.one(body);
        self.loops.pop().expect("pushed above").breaks
    }

    fn counted(&mut self, init: &[Stmt], condition: &Expr, step: Option<&Expr>, body: &Stmt) {
        let number = self.statement;
        for part in init {
            self.one(part);
            self.statement = number; // All parts of the head belong to the one statement.
        }
        let head = self.joint();
        let (holds, fails) = self.loop_condition(condition, Role::For);
        self.pending = holds;
        let next = self.node(None);
        let breaks = self.looped(body, next);
        self.pass(next);
        if let Some(step) = step {
            let after = std::mem::replace(&mut self.statement, number);
            self.evaluate(Role::ForStep, step);
            self.statement = after;
        }
        self.arrive(head);
        self.pending = fails;
        self.pending.extend(breaks);
    }

    fn switch(&mut self, value: &Expr, body: &Stmt) {
        self.parts(value);
        let node = self.own(Role::Switch, value);
        self.switches.push(node);
        self.defaults.push(false);
        self.loops.push(Loop { breaks: Vec::new(), next: None });
        self.one(body);
        let breaks = self.loops.pop().expect("pushed above").breaks;
        self.switches.pop();
        self.pending.extend(breaks);
        if self.defaults.pop() == Some(false) {
            self.pending.push((node, Way::Flow(EdgeKind::Default)));
        }
    }

    fn asm(&mut self, value: &Expr, labels: &[String]) {
        let node = self.evaluate(Role::Asm, value);
        for label in labels {
            let target = self.label(label);
            self.edges.push((node, target, Way::Flow(EdgeKind::Indirect)));
        }
    }

    fn config(&mut self, span: Span, branches: &[crate::ConfigBranch]) {
        let text = branches.first().and_then(|branch| branch.condition.as_deref()).unwrap_or("");
        let node = self.piece(Role::Config, &format!("#if {text}"), span);
        let mut after = Vec::new();
        let mut exhaustive = false;
        for branch in branches {
            let name = branch.condition.clone().unwrap_or_else(|| "else".to_owned());
            exhaustive |= branch.condition.is_none();
            self.pending = vec![(node, Way::Flow(EdgeKind::Config(name)))];
            self.statements(&branch.body);
            after.append(&mut self.pending);
        }
        if !exhaustive {
            after.push((node, Way::Flow(EdgeKind::Config("else".to_owned()))));
        }
        self.pending = after;
    }

    fn finish(self) -> StatementGraph {
        self.complete(false)
    }

    fn complete(mut self, keep_unreached: bool) -> StatementGraph {
        self.arrive(EXIT);
        let targets: Vec<Node> = self.labels.values().copied().collect();
        for &node in &self.indirect {
            self.edges.extend(targets.iter().map(|&target| (node, target, Way::Flow(EdgeKind::Indirect))));
        }
        contract(self.nodes, self.edges, self.calls, keep_unreached)
    }
}

/// Removes joints and what cannot be reached, and numbers the rest.
fn contract(
    nodes: Vec<Option<Piece>>,
    edges: Vec<(Node, Node, Way)>,
    calls: Vec<(Node, hydrogen_ir::Callee)>,
    keep_unreached: bool,
) -> StatementGraph {
    let mut onward: Vec<Vec<(Node, EdgeKind)>> = vec![Vec::new(); nodes.len()];
    let mut falls: Vec<(Node, Node)> = Vec::new();
    for (from, to, way) in edges {
        match way {
            Way::Flow(kind) => onward[from].push((to, kind)),
            Way::Fall => falls.push((from, to)),
        }
    }
    // A joint has at most one way on; a cycle of joints alone leads nowhere.
    let resolve = |mut node: Node| {
        for _ in 0..=nodes.len() {
            if nodes[node].is_some() {
                return Some(node);
            }
            node = onward[node].first()?.0;
        }
        None
    };
    let mut reached = vec![keep_unreached; nodes.len()];
    reached[ENTRY] = true;
    reached[EXIT] = true;
    let mut work = if keep_unreached { (0..nodes.len()).collect() } else { vec![ENTRY] };
    work.retain(|&node: &Node| nodes[node].is_some());
    let mut flow = Vec::new();
    while let Some(from) = work.pop() {
        for (to, kind) in &onward[from] {
            let Some(to) = resolve(*to) else { continue };
            flow.push((from, to, kind.clone()));
            if !std::mem::replace(&mut reached[to], true) {
                work.push(to);
            }
        }
    }
    falls = falls.into_iter().filter_map(|(jump, to)| Some((jump, resolve(to)?))).collect();
    let mut number = vec![PieceId(0); nodes.len()];
    let mut pieces = Vec::new();
    for (node, piece) in nodes.into_iter().enumerate() {
        if let Some(piece) = piece.filter(|_| reached[node]) {
            number[node] = PieceId::at(pieces.len());
            pieces.push(piece);
        }
    }
    let mut flow: Vec<FlowEdge> = flow
        .into_iter()
        .map(|(from, to, kind)| FlowEdge { from: number[from], to: number[to], kind })
        .collect();
    flow.sort();
    flow.dedup();
    let mut fall_through: Vec<(PieceId, PieceId)> = falls
        .into_iter()
        .filter(|(jump, to)| reached[*jump] && reached[*to])
        .map(|(jump, to)| (number[jump], number[to]))
        .collect();
    fall_through.sort_unstable();
    fall_through.dedup();
    let calls = calls
        .into_iter()
        .filter(|(node, _)| reached[*node])
        .map(|(node, callee)| Call { piece: number[node], callee, instruction: None })
        .collect();
    StatementGraph { pieces, flow, calls, fall_through }
}
