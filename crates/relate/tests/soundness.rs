//! Random functions and small changes of them: what is called equal is never contradicted by a run.
//!
//! The oracle is an interpreter of the generated programs, written here for this purpose: it shares nothing with the prover.
//! `HYDROGEN_PAIRS` sets how many pairs are tried.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, function};
use hydrogen_relate::{Options, Subject, Verdict, compare_or_refute};
use std::{fmt::Write, time::Duration};

/// An expression over the variables `a`, `b` (parameters), `x`, `y` (locals) and `i` (the loop's counter).
#[derive(Clone, Debug)]
enum Expression {
    Number(i32),
    Variable(usize),
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(usize, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// A loop of up to this many rounds over `i`.
    Loop(u32, Vec<Statement>),
}

/// A function of two numbers; signed or unsigned, of 8 bits when it is to be tried on everything.
#[derive(Clone, Debug)]
struct Program {
    signed: bool,
    body: Vec<Statement>,
    result: Expression,
}

const NAMES: [&str; 5] = ["a", "b", "x", "y", "i"];
const OPERATORS: [&str; 12] = ["+", "-", "*", "/", "%", "<", "==", "&", "|", "^", "<<", ">>"];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % sides
    }

    fn expression(&mut self, depth: u32) -> Expression {
        match self.roll(if depth == 0 { 2 } else { 5 }) {
            0 => Expression::Number([0, 1, 2, 3, 7, -1, 16][self.roll(7) as usize]),
            1 => Expression::Variable(self.roll(5) as usize),
            _ => {
                let operator = OPERATORS[self.roll(12) as usize];
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                Expression::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn statements(&mut self, depth: u32) -> Vec<Statement> {
        (0..1 + self.roll(3))
            .map(|_| match self.roll(if depth == 0 { 2 } else { 5 }) {
                3 => {
                    Statement::If(self.expression(1), self.statements(depth - 1), self.statements(depth - 1))
                }
                4 => Statement::Loop(1 + self.roll(4) as u32, self.statements(0)),
                _ => Statement::Assign(2 + self.roll(2) as usize, self.expression(2)),
            })
            .collect()
    }

    /// One small change somewhere: most keep the meaning in mathematics, some do not.
    fn changed(&mut self, expression: &Expression) -> Expression {
        let Expression::Binary(operator, left, right) = expression else {
            return match self.roll(3) {
                0 => Expression::Binary("+", Box::new(expression.clone()), Box::new(Expression::Number(0))),
                1 => Expression::Binary("*", Box::new(Expression::Number(1)), Box::new(expression.clone())),
                _ => expression.clone(),
            };
        };
        match self.roll(6) {
            0 => Expression::Binary(operator, Box::new(self.changed(left)), right.clone()),
            1 => Expression::Binary(operator, left.clone(), Box::new(self.changed(right))),
            2 if matches!(*operator, "+" | "*" | "&" | "|" | "^" | "==") => {
                Expression::Binary(operator, right.clone(), left.clone())
            }
            3 if *operator == "*" => {
                Expression::Binary("+", Box::new(expression.clone()), Box::new(Expression::Number(0)))
            }
            4 if *operator == "+" => {
                let negated = Expression::Binary("-", Box::new(Expression::Number(0)), right.clone());
                Expression::Binary("-", left.clone(), Box::new(negated))
            }
            5 => Expression::Binary(OPERATORS[self.roll(12) as usize], left.clone(), right.clone()),
            _ => expression.clone(),
        }
    }

    fn mutated(&mut self, body: &[Statement]) -> Vec<Statement> {
        let mut body = body.to_vec();
        let at = self.roll(body.len() as u64) as usize;
        let next = self.roll(6);
        match &mut body[at] {
            Statement::Assign(_, value) => *value = self.changed(value),
            Statement::If(condition, then, otherwise) => match next {
                0 => *condition = self.changed(condition),
                1 => {
                    let inverse = Expression::Binary(
                        "==",
                        Box::new(condition.clone()),
                        Box::new(Expression::Number(0)),
                    );
                    *condition = inverse;
                    std::mem::swap(then, otherwise);
                }
                2 | 3 => *then = self.mutated(then),
                _ => *otherwise = self.mutated(otherwise),
            },
            Statement::Loop(rounds, inner) => match next {
                0 => *rounds += 1,
                _ => *inner = self.mutated(inner),
            },
        }
        if body.len() > 1 && self.roll(3) == 0 {
            body.swap(0, 1);
        }
        body
    }
}

fn write_expression(out: &mut String, expression: &Expression, ty: &str) {
    match expression {
        Expression::Number(number) => write!(out, "({ty})({number})").unwrap(),
        Expression::Variable(variable) => out.push_str(NAMES[*variable]),
        Expression::Binary(operator, left, right) => {
            // Every result is cut to the type, so that the oracle need not know C's conversions.
            write!(out, "({ty})(").unwrap();
            write_expression(out, left, ty);
            write!(out, " {operator} ").unwrap();
            write_expression(out, right, ty);
            out.push(')');
        }
    }
}

fn write_statements(out: &mut String, body: &[Statement], ty: &str) {
    for statement in body {
        match statement {
            Statement::Assign(variable, value) => {
                write!(out, "{} = ", NAMES[*variable]).unwrap();
                write_expression(out, value, ty);
                out.push_str(";\n");
            }
            Statement::If(condition, then, otherwise) => {
                out.push_str("if (");
                write_expression(out, condition, ty);
                out.push_str(") {\n");
                write_statements(out, then, ty);
                out.push_str("} else {\n");
                write_statements(out, otherwise, ty);
                out.push_str("}\n");
            }
            Statement::Loop(rounds, inner) => {
                writeln!(out, "for (i = 0; i < {rounds}; i++) {{").unwrap();
                write_statements(out, inner, ty);
                out.push_str("}\n");
            }
        }
    }
}

fn source(program: &Program) -> String {
    let ty = if program.signed { "int" } else { "unsigned char" };
    let mut out = format!("{ty} f({ty} a, {ty} b) {{\n{ty} x = a, y = b, i = 0;\n");
    write_statements(&mut out, &program.body, ty);
    out.push_str("return ");
    write_expression(&mut out, &program.result, ty);
    out.push_str(";\n}\n");
    out
}

/// What a run ends with: a number, or none where the behaviour is undefined.
fn evaluate(program: &Program, a: i64, b: i64) -> Option<i64> {
    let mut values = [a, b, a, b, 0];
    execute(&program.body, &mut values, program.signed)?;
    value(&program.result, &values, program.signed)
}

fn execute(body: &[Statement], values: &mut [i64; 5], signed: bool) -> Option<()> {
    for statement in body {
        match statement {
            Statement::Assign(variable, expression) => values[*variable] = value(expression, values, signed)?,
            Statement::If(condition, then, otherwise) => {
                let chosen = if value(condition, values, signed)? != 0 { then } else { otherwise };
                execute(chosen, values, signed)?;
            }
            Statement::Loop(rounds, inner) => {
                values[4] = 0;
                while values[4] < i64::from(*rounds) {
                    execute(inner, values, signed)?;
                    values[4] += 1;
                }
            }
        }
    }
    Some(())
}

fn value(expression: &Expression, values: &[i64; 5], signed: bool) -> Option<i64> {
    Some(match expression {
        Expression::Number(number) => {
            if signed {
                i64::from(*number)
            } else {
                i64::from(*number as u8)
            }
        }
        Expression::Variable(variable) => values[*variable],
        Expression::Binary(operator, left, right) => {
            let (a, b) = (value(left, values, signed)?, value(right, values, signed)?);
            let result = match *operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" | "%" if b == 0 => return None,
                "/" => a / b,
                "%" if signed && a == i64::from(i32::MIN) && b == -1 => return None,
                "%" => a % b,
                "<" => i64::from(a < b),
                "==" => i64::from(a == b),
                "&" => a & b,
                "|" => a | b,
                "^" => a ^ b,
                // Shifts are of `int`.
                "<<" | ">>" if !(0..32).contains(&b) => return None,
                "<<" => (a as i32).wrapping_shl(b as u32).into(),
                ">>" => a >> b,
                other => panic!("the operator {other}"),
            };
            match signed {
                // What does not fit is undefined; shifts are said apart, because the machine lets them pass.
                true if *operator == "<<" => result,
                true => i64::from(i32::try_from(result).ok()?),
                false => i64::from(result as u8),
            }
        }
    })
}

#[test]
fn what_is_called_equal_is_equal() {
    let pairs: u64 = std::env::var("HYDROGEN_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let options =
        Options { time: Duration::from_secs(2), question: Duration::from_millis(500), ..Options::default() };
    let (mut equal, mut different) = (0, 0);
    for seed in 1..=pairs {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let signed = dice.roll(2) == 0;
        let old = Program { signed, body: dice.statements(2), result: dice.expression(2) };
        let mut new = Program { body: dice.mutated(&old.body), ..old.clone() };
        if dice.roll(4) == 0 {
            new.result = dice.changed(&new.result);
        }
        let (a, b) = (source(&old), source(&new));
        let (one, other) = (compile(&a), compile(&b));
        // Nobody looks for a difference, so that every way to a proof is tried.
        let verdict = compare_or_refute(
            Subject { module: &one, function: function(&one, "f") },
            Subject { module: &other, function: function(&other, "f") },
            &options,
            Some(&mut |_| false),
        );
        let inputs: Vec<(i64, i64)> = match signed {
            false => (0..256).flat_map(|a| (0..256).map(move |b| (a, b))).collect(),
            true => {
                let edges = [0, 1, -1, 2, 31, 32, 46341, i32::MAX, i32::MIN, 1 << 30];
                let mut all: Vec<(i64, i64)> =
                    edges.iter().flat_map(|&a| edges.map(|b| (i64::from(a), i64::from(b)))).collect();
                all.extend(
                    (0..10_000)
                        .map(|_| (i64::from(dice.roll(1 << 32) as i32), i64::from(dice.roll(64) as i32) - 8)),
                );
                all
            }
        };
        match verdict {
            Verdict::Equal(_) => {
                equal += 1;
                for (x, y) in inputs {
                    assert_eq!(
                        evaluate(&old, x, y),
                        evaluate(&new, x, y),
                        "at {x}, {y} (seed {seed}):\n{a}\n{b}"
                    );
                }
            }
            Verdict::Candidate(candidate) if candidate.sure => {
                different += 1;
                let numbers: Vec<i64> = candidate
                    .arguments
                    .iter()
                    .map(|argument| match argument {
                        hydrogen_relate::Argument::Number(8, bits) => *bits as i64,
                        hydrogen_relate::Argument::Number(_, bits) => i64::from(*bits as i32),
                        other => panic!("{other:?} for a number"),
                    })
                    .collect();
                let (before, after) =
                    (evaluate(&old, numbers[0], numbers[1]), evaluate(&new, numbers[0], numbers[1]));
                assert_ne!(before, after, "no difference at {numbers:?} (seed {seed}):\n{a}\n{b}");
            }
            Verdict::Candidate(_) | Verdict::Refuted | Verdict::Open(_) => {}
        }
    }
    eprintln!("{pairs} pairs: {equal} equal, {different} different");
    assert!(equal > 0 && different > 0, "{equal} equal and {different} different pairs");
}
