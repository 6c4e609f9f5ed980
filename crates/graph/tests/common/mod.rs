//! Random histories of small programs, for property tests.
//!
//! A history is a list of edits per version, so that a failing one shrinks to few and small edits.

// Each test binary uses its own part of this module.
#![allow(dead_code)]

use hydrogen_graph::{
    Definition, Digest, FunctionInput, Item, ItemKind, VersionId, VersionInfo, VersionInput, functions_of,
};
use hydrogen_ir::{Callee, ContentHash, FileId, Function, Linkage, Module, Position, Span};
use hydrogen_statements::{CaseLabel, Expr, Form, Stmt};
use proptest::prelude::*;
use std::sync::Arc;

/// A statement of a random program; numbers select texts.
#[derive(Debug, Clone, PartialEq)]
pub enum S {
    Simple(u8),
    Call(u8),
    Either(u8, u8),
    If(u8, Vec<S>, Vec<S>),
    While(u8, Vec<S>),
    Switch(u8, Vec<(u8, Vec<S>)>),
    Return(u8),
    Break,
    /// A comment: takes a line and is nothing.
    Blank,
}

/// A function of a random program.
#[derive(Debug, Clone, PartialEq)]
pub struct F {
    pub name: String,
    pub file: u8,
    pub internal: bool,
    pub body: Vec<S>,
    /// Changes the payloads of its pieces and nothing else.
    pub salt: u8,
}

/// One version of a random program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    pub functions: Vec<F>,
    pub global: u8,
}

/// An edit; the numbers select what and where, modulo what there is.
pub type Edit = (u8, u16, u16, u16);

/// The edits of one version, and how it hangs in the history.
pub type Step = (Vec<Edit>, u8, u16);

pub fn steps(versions: usize) -> impl Strategy<Value = Vec<Step>> {
    let edit = (0u8..20, any::<u16>(), any::<u16>(), any::<u16>());
    let step = (prop::collection::vec(edit, 0..6), any::<u8>(), any::<u16>());
    prop::collection::vec(step, 1..versions)
}

/// The versions of a history and their parents; `branches` allows other histories than a line.
pub fn history(steps: &[Step], branches: bool) -> Vec<(Program, Vec<usize>)> {
    let mut versions: Vec<(Program, Vec<usize>)> = Vec::new();
    for (edits, shape, other) in steps {
        let mut parents: Vec<usize> = versions.len().checked_sub(1).into_iter().collect();
        let count = versions.len();
        if branches && count > 0 {
            match shape % 4 {
                0 => parents = vec![usize::from(*other) % count],
                1 => {
                    parents = vec![count - 1, usize::from(*other) % count];
                    parents.dedup();
                }
                _ => {}
            }
        }
        let mut program = match parents.first() {
            Some(&parent) => versions[parent].0.clone(),
            None => base(),
        };
        if let [_, second] = parents[..] {
            merge(&mut program, &versions[second].0, *other);
        }
        let old: Vec<Program> = versions.iter().map(|(program, _)| program.clone()).collect();
        for edit in edits {
            apply(&mut program, &old, *edit);
        }
        versions.push((program, parents));
    }
    versions
}

fn base() -> Program {
    let main = vec![S::Simple(1), S::If(2, vec![S::Call(1), S::Return(1)], vec![]), S::Call(2), S::Return(0)];
    let helper =
        vec![S::Simple(3), S::While(4, vec![S::Simple(5), S::If(1, vec![S::Break], vec![])]), S::Return(2)];
    let function = |name: &str, internal, body| F { name: name.into(), file: 0, internal, body, salt: 0 };
    Program { functions: vec![function("f0", false, main), function("f1", true, helper)], global: 0 }
}

fn merge(program: &mut Program, other: &Program, pick: u16) {
    for (at, function) in other.functions.iter().enumerate() {
        if pick >> (at % 16) & 1 == 0 {
            continue;
        }
        match program.functions.iter().position(|own| same_key(own, function)) {
            Some(own) => program.functions[own] = function.clone(),
            None => program.functions.push(function.clone()),
        }
    }
}

fn same_key(a: &F, b: &F) -> bool {
    a.name == b.name && (a.file == b.file || !(a.internal || b.internal))
}

fn apply(program: &mut Program, old: &[Program], (kind, a, b, c): Edit) {
    let count = program.functions.len();
    let text = (c % 7) as u8;
    let fresh = match c % 6 {
        0 => S::Call((c / 6 % 5) as u8),
        1 => S::If(text, vec![S::Simple(text + 1)], vec![]),
        2 => S::Switch(text, vec![(0, vec![S::Simple(1), S::Break]), (1, vec![S::Simple(2), S::Break])]),
        3 => S::Either(text, (c / 6 % 7) as u8),
        4 => S::While(text, vec![S::Call(1)]),
        _ => S::Simple((c / 6 % 12) as u8),
    };
    if kind >= 12 && count > 0 {
        let function = usize::from(a) % count;
        return edit_program(program, old, kind, function, b, c);
    }
    if count == 0 {
        program.functions.push(F { name: "f0".into(), file: 0, internal: false, body: vec![fresh], salt: 0 });
        return;
    }
    let body = &mut program.functions[usize::from(a) % count].body;
    let size = places(body);
    let mut place = usize::from(b) % size.max(1);
    let mut moved = None;
    visit(body, &mut place, &mut |block, at| match kind {
        0..=2 => block.insert(at, fresh.clone()),
        3 | 4 if at < block.len() => drop(block.remove(at)),
        5 | 6 if at < block.len() => block[at] = fresh.clone(),
        7 if at < block.len() => moved = Some(block.remove(at)),
        8 if at < block.len() => {
            let inner = block.remove(at);
            block.insert(at, S::If(text, vec![inner], vec![S::Simple(text)]));
        }
        9 => {
            if let Some(S::Switch(_, cases)) = block.get_mut(at) {
                if c.is_multiple_of(2) && !cases.is_empty() {
                    cases.remove(usize::from(c) % cases.len());
                } else if cases.iter().all(|(label, _)| *label != text) {
                    cases.push((text, vec![S::Simple(text)]));
                }
            }
        }
        10 => block.insert(at, S::Blank),
        11 if at < block.len() => {
            let end = (at + 1 + usize::from(c) % 3).min(block.len());
            block.drain(at..end);
        }
        _ => {}
    });
    if let Some(moved) = moved {
        let mut place = usize::from(c) % places(body).max(1);
        visit(body, &mut place, &mut |block, at| block.insert(at, moved.clone()));
    }
}

fn edit_program(program: &mut Program, old: &[Program], kind: u8, at: usize, b: u16, c: u16) {
    let target = program.functions[at].clone();
    let free = |program: &Program, wanted: &F| {
        program.functions.iter().enumerate().all(|(other, own)| other == at || !same_key(own, wanted))
    };
    match kind {
        12 => {
            // Back to an older form.
            if !old.is_empty()
                && let Some(form) =
                    old[usize::from(b) % old.len()].functions.iter().find(|f| f.name == target.name)
            {
                program.functions[at].body = form.body.clone();
            }
        }
        13 => {
            let renamed = F { name: format!("f{}", c % 6), ..target };
            if free(program, &renamed) {
                program.functions[at] = renamed;
            }
        }
        14 => program.functions.reverse(),
        15 => drop(program.functions.remove(at)),
        16 => {
            // A new function, or an old one again.
            let older = old.get(usize::from(b) % old.len().max(1)).and_then(|older| {
                older.functions.get(usize::from(c) % older.functions.len().max(1)).cloned()
            });
            let new = older.unwrap_or(F { name: format!("f{}", c % 6), ..target });
            if program.functions.iter().all(|own| !same_key(own, &new)) {
                program.functions.push(new);
            }
        }
        17 => {
            let moved = F { file: (c % 3) as u8, internal: b.is_multiple_of(2), ..target };
            if free(program, &moved) {
                program.functions[at] = moved;
            }
        }
        18 => program.functions[at].salt = (c % 3) as u8,
        _ => program.global = (c % 3) as u8,
    }
}

/// How many places a statement can be put at.
fn places(block: &[S]) -> usize {
    let inner = |statement: &S| match statement {
        S::If(_, then, otherwise) => places(then) + places(otherwise),
        S::While(_, body) => places(body),
        S::Switch(_, cases) => cases.iter().map(|(_, body)| places(body)).sum(),
        _ => 0,
    };
    block.len() + 1 + block.iter().map(inner).sum::<usize>()
}

fn visit(block: &mut Vec<S>, place: &mut usize, edit: &mut dyn FnMut(&mut Vec<S>, usize)) {
    for at in 0..=block.len() {
        if *place == 0 {
            *place = usize::MAX;
            edit(block, at);
            return;
        }
        *place -= 1;
        match block.get_mut(at) {
            Some(S::If(_, then, otherwise)) => {
                visit(then, place, edit);
                if *place != usize::MAX {
                    visit(otherwise, place, edit);
                }
            }
            Some(S::While(_, body)) => visit(body, place, edit),
            Some(S::Switch(_, cases)) => {
                for (_, body) in cases {
                    if *place != usize::MAX {
                        visit(body, place, edit);
                    }
                }
            }
            _ => {}
        }
        if *place == usize::MAX {
            return;
        }
    }
}

/// Turns a program into a model; every statement takes a line.
pub fn module(program: &Program) -> Module {
    let files: Vec<String> = (0..3).map(|file| format!("file{file}.c")).collect();
    let mut lines = [1u32; 3];
    let mut functions = Vec::new();
    for function in &program.functions {
        let mut printer =
            Printer { line: lines[usize::from(function.file)], file: FileId(u32::from(function.file)) };
        let span = printer.span();
        printer.line += 1;
        let body = printer.block(&function.body);
        let graph = hydrogen_statements::build(&body);
        lines[usize::from(function.file)] = printer.line + 2;
        functions.push(Function {
            name: function.name.clone(),
            linkage: if function.internal { Linkage::Internal } else { Linkage::External },
            ty: None,
            ctype: None,
            signature: format!("void {}(void)", function.name),
            parameters: vec![],
            no_return: false,
            span: Some(span),
            pieces: graph.pieces,
            flow: graph.flow,
            fall_through: graph.fall_through,
            calls: graph.calls,
            body: None,
        });
    }
    Module { name: "test".into(), files, functions, ..Module::default() }
}

struct Printer {
    line: u32,
    file: FileId,
}

impl Printer {
    fn span(&self) -> Span {
        let at = |column| Position { line: self.line, column };
        Span { file: self.file, start: at(1), end: at(80) }
    }

    fn expr(&self, text: String) -> Expr {
        Expr::plain(text, self.span())
    }

    fn block(&mut self, block: &[S]) -> Vec<Stmt> {
        block.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &S) -> Stmt {
        self.line += 1;
        match statement {
            S::Blank => Stmt::Empty,
            S::Simple(text) => {
                Stmt::Expression { value: self.expr(format!("x{text} = {text}")), no_return: false }
            }
            S::Call(number) => {
                let mut value = self.expr(format!("f{number}()"));
                value.calls.push(match number {
                    4 => Callee::Indirect("pointer".into()),
                    _ => Callee::Direct(format!("f{number}")),
                });
                Stmt::Expression { value, no_return: false }
            }
            S::Either(a, b) => {
                let (left, right) = (self.expr(format!("a{a}")), self.expr(format!("b{b}")));
                let mut condition = self.expr(format!("a{a} || b{b}"));
                condition.form = Form::Or(Box::new(left), Box::new(right));
                let then = Box::new(Stmt::Expression { value: self.expr("y = 1".into()), no_return: false });
                Stmt::If { condition, then, otherwise: None }
            }
            S::If(text, then, otherwise) => {
                let condition = self.expr(format!("c{text} > 0"));
                let then = Box::new(Stmt::Block(self.block(then)));
                let otherwise = (!otherwise.is_empty()).then(|| Box::new(Stmt::Block(self.block(otherwise))));
                Stmt::If { condition, then, otherwise }
            }
            S::While(text, body) => {
                let condition = self.expr(format!("c{text} < n"));
                Stmt::While { condition, body: Box::new(Stmt::Block(self.block(body))) }
            }
            S::Switch(text, cases) => {
                let value = self.expr(format!("s{text}"));
                let mut body = Vec::new();
                for (label, inner) in cases {
                    let inner = Box::new(Stmt::Block(self.block(inner)));
                    body.push(Stmt::Case { label: CaseLabel::Value(label.to_string()), body: inner });
                }
                Stmt::Switch { value, body: Box::new(Stmt::Block(body)) }
            }
            S::Return(text) => Stmt::Return(self.expr(format!("return {text}"))),
            S::Break => Stmt::Break(self.span()),
        }
    }
}

/// A history as input of a graph; `payloads` gives every piece a payload, as in compiled mode.
pub fn inputs<'a>(
    history: &'a [(Program, Vec<usize>)],
    modules: &'a [Module],
    payloads: bool,
) -> Vec<VersionInput<'a>> {
    let version = |(at, ((program, parents), module)): (usize, (&'a (Program, Vec<usize>), &'a Module))| {
        let functions: Vec<FunctionInput<'a>> =
            functions_of(program.functions.iter().zip(&module.functions).map(|(source, function)| {
                let payload = payloads.then(|| payload(source.salt, function));
                Definition::of_function(module, function, payload)
            }));
        let item = Item {
            kind: ItemKind::Global,
            name: "x1".into(),
            file: None,
            hash: ContentHash([program.global; 16]),
        };
        let parents = parents.iter().map(|&parent| VersionId::at(parent)).collect();
        let info = VersionInfo { name: format!("v{}", at + 1), parents, ..VersionInfo::default() };
        VersionInput { info, functions, items: [item].into() }
    };
    history.iter().zip(modules).enumerate().map(version).collect()
}

/// Some pieces have a payload that the salt changes.
fn payload(salt: u8, function: &Function) -> Arc<[Digest]> {
    let digest =
        |piece: &hydrogen_ir::Piece| ContentHash([if piece.text.contains('1') { salt } else { 0 }; 16]);
    function.pieces.iter().map(digest).collect()
}
