//! What a call of a function without a body does, by its contract.

use crate::meaning::effect::Write;
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::state::{Cell, Object, Value};
use hydrogen_evidence::Entry;
use hydrogen_evidence::ledger::Callee;
use hydrogen_ir::{InstructionId, Operand};
use hydrogen_library::{Clause, Contract, Factor, Result, Sum};
use hydrogen_term::{Sort, Term};

impl Eval<'_> {
    /// A sum of a contract as a 64-bit number; none if an argument is not followed.
    pub fn sum(&mut self, sum: &Sum, arguments: &[Value]) -> Option<Term> {
        let mut total = self.terms.word(0);
        for product in sum {
            let mut whole = self.terms.word(1);
            for factor in product {
                let one = match *factor {
                    Factor::Number(number) => self.terms.pool.signed_bits(64, number.into()),
                    Factor::Parameter(at) => match *arguments.get(at)? {
                        // Sizes are as wide as pointers where a contract is true; narrower ones are signed.
                        Value::Int(number) => self.terms.pool.resize_signed(number, 64),
                        _ => return None,
                    },
                    Factor::Any => {
                        let event = self.effect.event;
                        match self.terms.changed(event, "so many", Cell::Int(64)) {
                            Value::Int(number) => number,
                            _ => return None,
                        }
                    }
                    Factor::Length(at) => match *arguments.get(at)? {
                        Value::Pointer(object, offset) => self.text_length(object, offset),
                        _ => return None,
                    },
                };
                whole = self.terms.pool.mul(whole, one);
            }
            total = self.terms.pool.add(total, whole);
        }
        Some(total)
    }

    /// Whether a product of two numbers does not fit; none where there is no such product.
    fn product_wraps(&mut self, sum: &Sum, arguments: &[Value]) -> Option<Term> {
        let [product] = &sum[..] else { return None };
        let &[left, right] = &product[..] else { return None };
        let (left, right) =
            (self.sum(&vec![vec![left]], arguments)?, self.sum(&vec![vec![right]], arguments)?);
        Some(self.terms.pool.umul_overflows(left, right))
    }

    fn text_length(&mut self, object: Term, offset: Term) -> Term {
        self.terms.length(object, offset, None)
    }

    /// The effect of a call by its contract. `place` names this call, for the objects it makes.
    pub fn contract(
        &mut self,
        id: InstructionId,
        contract: &Contract,
        arguments: &[Operand],
        name: &str,
        place: &str,
    ) {
        let arguments: Vec<Value> = arguments.iter().map(|one| self.operand(one)).collect();
        let callee = || Callee::Named(name.to_owned());
        let event = self.effect.event;
        let outcome = self.terms.event(Entry::Returned { callee: callee() }, true, place);
        let mut result = None;
        let allocates = contract.clauses.iter().any(|clause| matches!(clause, Clause::New { .. }));
        for clause in &contract.clauses {
            match clause {
                Clause::Writes(pointer, bytes) | Clause::Sets(pointer, bytes) => {
                    let contents = self.terms.event(Entry::Written { callee: callee() }, true, place);
                    let bytes = self.sum(bytes, &arguments);
                    if let Some(&Value::Pointer(object, offset)) = arguments.get(*pointer) {
                        self.effect.writes.push(Write::Region { object, offset, bytes, event: contents });
                    }
                }
                Clause::Fills(pointer, bytes, byte) => {
                    let (bytes, byte) = (self.sum(bytes, &arguments), self.sum(byte, &arguments));
                    if let Some(&Value::Pointer(object, offset)) = arguments.get(*pointer) {
                        self.effect.writes.push(match (bytes, byte) {
                            (Some(bytes), Some(byte)) => {
                                let byte = self.terms.pool.truncate(byte, 8);
                                Write::Fill { object, offset, byte, bytes, event }
                            }
                            _ => Write::Region { object, offset, bytes, event },
                        });
                    }
                }
                Clause::Copies(to, from, bytes) => {
                    let bytes = self.sum(bytes, &arguments);
                    let from = arguments.get(*from).copied();
                    if let Some(&Value::Pointer(object, offset)) = arguments.get(*to) {
                        self.effect.writes.push(match (from, bytes) {
                            (Some(Value::Pointer(source, at)), Some(bytes)) => {
                                Write::Copy { object, offset, from: (source, at), bytes, event }
                            }
                            _ => Write::Region { object, offset, bytes, event },
                        });
                    }
                }
                Clause::Length(pointer, length, within) => {
                    let length = self.sum(length, &arguments);
                    let within = within.as_ref().map(|within| self.sum(within, &arguments));
                    if let (Some(&Value::Pointer(object, offset)), Some(length)) =
                        (arguments.get(*pointer), length)
                        && within != Some(None)
                    {
                        let within = within.flatten();
                        self.effect.writes.push(Write::Length { object, offset, length, within });
                    }
                }
                Clause::Ends(pointer, bytes) => {
                    let bytes = self.sum(bytes, &arguments);
                    if let (Some(&Value::Pointer(object, offset)), Some(bytes)) =
                        (arguments.get(*pointer), bytes)
                    {
                        let left = self.terms.event(Entry::LeftBehind { callee: callee() }, true, place);
                        let any = self.terms.length(object, offset, Some(left));
                        let old = self.text_length(object, offset);
                        let mut length = self.terms.shorter_than(bytes, any, old);
                        // Who gives null has written nothing.
                        if contract.gives_or_null(*pointer) {
                            let is_null = self.gives_null(outcome, name);
                            length = self.terms.pool.ite(is_null, old, length);
                        }
                        self.effect.writes.push(Write::Length { object, offset, length, within: None });
                    }
                }
                Clause::New { bytes: sum, zeroed, sure } => {
                    let bytes = self.sum(sum, &arguments);
                    let object = self.terms.object(Object::Heap(place.to_owned()));
                    let fresh = self.terms.event(Entry::NeverWritten, false, place);
                    let zero = self.terms.word(0);
                    let no = self.terms.pool.bool(false);
                    let fails = if *sure { no } else { self.fails(outcome, name) };
                    if let Some(bytes) = bytes {
                        let most = self.terms.pool.bits(64, crate::meaning::state::LARGEST);
                        let possible = self.terms.pool.ule(bytes, most);
                        let fact = self.terms.pool.or(fails, possible);
                        self.assume(fact);
                    }
                    // What multiplies sizes itself fails where the product is too large.
                    if let Some(wraps) = self.product_wraps(sum, &arguments) {
                        let whole = self.terms.pool.not(wraps);
                        let fact = self.terms.pool.or(fails, whole);
                        self.assume(fact);
                    }
                    let made = self.terms.pool.not(fails);
                    self.effect.writes.push(Write::New { object, bytes, zero: *zeroed, made, event: fresh });
                    let got = self.terms.pool.ite(fails, zero, object);
                    result = Some(Value::Pointer(got, zero));
                }
                Clause::Frees(pointer) => {
                    if let Some(&Value::Pointer(object, _)) = arguments.get(*pointer) {
                        // Reallocation that fails leaves the object alone.
                        let object = if allocates {
                            let (fails, zero) = (self.fails(outcome, name), self.terms.word(0));
                            self.terms.pool.ite(fails, zero, object)
                        } else {
                            object
                        };
                        self.effect.writes.push(Write::Free { object });
                    }
                }
                Clause::Keeps(pointer) => {
                    if let Some(&Value::Pointer(object, _)) = arguments.get(*pointer) {
                        self.effect.writes.push(Write::Escape { object, into: None });
                    }
                }
                Clause::Stops => {
                    let no = self.terms.pool.bool(false);
                    self.effect.guard = Some(no);
                }
                Clause::Returns(what) => result = self.result(id, what, &arguments, (outcome, name)),
                // Control comes back only if there is something.
                Clause::Text(pointer) | Clause::Needs(pointer) | Clause::Looks(pointer, _) => {
                    if let Some(&Value::Pointer(object, _)) = arguments.get(*pointer) {
                        self.survives(object);
                    }
                }
                Clause::Reads(..) | Clause::Size(_) => {}
            }
        }
        let cell = cell_of(self.shape, self.shape.body().instruction(id).ty);
        let result = match (result, cell) {
            (Some(value), _) => value,
            (None, Some(cell)) => self.terms.changed(outcome, &format!("{name}()"), cell),
            (None, None) => Value::Opaque,
        };
        self.define(id, result);
    }

    /// Whether an allocation fails: the outside world decides.
    fn fails(&mut self, outcome: u32, name: &str) -> Term {
        self.terms.pool.var(&format!("?{outcome}?{name}() fails"), Sort::Bool)
    }

    /// Whether a function that gives a pointer or null gives null.
    fn gives_null(&mut self, outcome: u32, name: &str) -> Term {
        self.terms.pool.var(&format!("?{outcome}?{name}() gives null"), Sort::Bool)
    }

    fn result(
        &mut self,
        id: InstructionId,
        what: &Result,
        arguments: &[Value],
        (outcome, name): (u32, &str),
    ) -> Option<Value> {
        let cell = cell_of(self.shape, self.shape.body().instruction(id).ty)?;
        let any = |one: &mut Self| one.terms.changed(outcome, "result", cell);
        Some(match what {
            Result::Any => any(self),
            Result::Somewhere { table } => {
                let value = any(self);
                if let Value::Pointer(object, offset) = value {
                    let zero = self.terms.word(0);
                    let there = self.terms.pool.ne(object, zero);
                    self.assume(there);
                    if *table
                        && let Value::Pointer(inner, _) =
                            self.terms.memory(Cell::Pointer, object, offset, None)
                    {
                        let there = self.terms.pool.ne(inner, zero);
                        self.assume(there);
                    }
                }
                value
            }
            Result::Is(sum) => match (cell, &sum[..]) {
                (Cell::Pointer, [product]) => match product[..] {
                    [Factor::Parameter(at)] => *arguments.get(at)?,
                    _ => any(self),
                },
                (Cell::Int(width), _) => {
                    let sum = self.sum(sum, arguments)?;
                    Value::Int(self.terms.pool.resize_signed(sum, width))
                }
                _ => any(self),
            },
            Result::Between(low, high) => {
                let Value::Int(value) = any(self) else { return None };
                let wide = self.terms.pool.resize_signed(value, 64);
                let (low, high) = (self.sum(low, arguments)?, self.sum(high, arguments)?);
                let (above, below) = (self.terms.pool.sle(low, wide), self.terms.pool.sle(wide, high));
                let within = self.terms.pool.and(above, below);
                self.assume(within);
                Value::Int(value)
            }
            Result::Pointer { parameter, inside, or_null } => {
                let Value::Pointer(object, offset) = *arguments.get(*parameter)? else {
                    return Some(any(self));
                };
                let offset = if *inside {
                    let Value::Int(moved) = self.terms.changed(outcome, "distance", Cell::Int(64)) else {
                        return None;
                    };
                    let size = self.terms.size(object);
                    let near = self.terms.pool.ule(moved, size);
                    self.assume(near);
                    moved
                } else {
                    offset
                };
                let found = Value::Pointer(object, offset);
                if *or_null {
                    let (is_null, null) = (self.gives_null(outcome, name), self.terms.null());
                    self.terms.choose(is_null, null, found)
                } else {
                    found
                }
            }
        })
    }
}
