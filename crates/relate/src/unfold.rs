//! What a recursive call gives back is what the old version's body says of its arguments.
//!
//! While two recursive functions are compared, their recursive calls are one unknown function: the old version's own. So for any arguments it gives
//! what the old body gives for them, with the same unknown function inside, and it faults where the old body does. That is said of the calls that a
//! question has, and not of those inside of these: enough for a recursion that was unrolled, or ends elsewhere.
//!
//! It is true only of calls that come back: `f(1) = f(1) + 1` would make everything true. So it is said where a run makes the call, and both versions
//! are taken to end; or everywhere, where each recursive call has a smaller argument than the one that makes it.

use crate::{code::Var, entry::initial, prove::Prover, segment::Target, state::Value};
use hydrogen_ir::Type;
use hydrogen_term::{Answer, Op, Term};

/// Calls that are looked into.
const MOST: usize = 32;

impl Prover<'_, '_, '_> {
    /// What is known of the recursive calls in these terms.
    pub fn unfolded(&mut self, terms: &[Term]) -> Vec<Term> {
        if !self.unfolds || !self.old.code.heads.is_empty() {
            return Vec::new();
        }
        let name = self.own_name();
        let (result, fault) = (format!("{name} 0"), format!("{name} faults"));
        let mut found = Vec::new();
        for term in self.context.pool.postorder(terms) {
            let Op::Apply(function) = self.context.pool.op(term) else { continue };
            let called = self.context.pool.function_name(function);
            if found.len() < MOST && (called == result || called == fault) {
                found.push((term, called == fault));
            }
        }
        let mut axioms = Vec::new();
        for (call, is_fault) in found {
            axioms.extend(self.unfold(call, is_fault));
        }
        axioms
    }

    fn unfold(&mut self, call: Term, is_fault: bool) -> Option<Term> {
        let always = self.context.pool.bool(true);
        let when = match self.always_ends() {
            true => always,
            false => *self.context.made.get(&call)?,
        };
        if is_fault && self.faultless {
            return Some(self.context.pool.not(call));
        }
        let said = self.body_of(call, is_fault)?;
        let said = if self.faultless { self.without_faults(said) } else { said };
        Some(self.context.pool.implies(when, said))
    }

    /// What the old body says of a call.
    fn body_of(&mut self, call: Term, is_fault: bool) -> Option<Term> {
        let made = self.context.made.clone();
        let said = self.body(call, is_fault);
        // Calls inside of this one are made only where it is.
        self.context.made = made;
        said
    }

    /// Whether each recursive call of the old version has an argument that is smaller than the parameter, always in the same place and order.
    pub fn always_ends(&mut self) -> bool {
        if let Some(known) = self.ends {
            return known;
        }
        self.measured = self.measure();
        self.ends = Some(self.measured.is_some());
        self.measured.is_some()
    }

    /// The parameter that recursive calls make smaller. Also finds out whether the function never faults.
    fn measure(&mut self) -> Option<u32> {
        let name = format!("{} 0", self.own_name());
        let kept = std::mem::take(&mut self.context.made);
        let start = initial(self.context, &self.old);
        let parameters: Vec<Term> =
            (0..).map_while(|n| crate::variables::number(&start, Var::Parameter(0, n))).collect();
        let walked = self.old.advance(self.context, Target::Entry, start, 1);
        let made = std::mem::replace(&mut self.context.made, kept);
        let segment = walked.ok().filter(|_| self.old.code.heads.is_empty())?;
        let mut calls = Vec::new();
        for (call, when) in made {
            let Op::Apply(function) = self.context.pool.op(call) else { continue };
            let called = self.context.pool.function_name(function).to_owned();
            if called == name {
                calls.push((self.context.pool.args(call).to_vec(), when));
            }
        }
        calls.sort_unstable();
        let found = (0..parameters.len()).find(|&at| {
            [false, true].into_iter().any(|signed| {
                calls.iter().all(|(arguments, when)| {
                    let pool = &mut self.context.pool;
                    let Some(&argument) = arguments.get(at) else { return false };
                    if pool.sort(argument) != pool.sort(parameters[at]) {
                        return false;
                    }
                    let smaller = match signed {
                        true => pool.slt(argument, parameters[at]),
                        false => pool.ult(argument, parameters[at]),
                    };
                    let denied = pool.not(smaller);
                    let question = [*when, denied];
                    if question.iter().any(|&one| pool.as_bool(one) == Some(false)) {
                        return true;
                    }
                    matches!(self.engine.check(&mut self.context.pool, &question), Answer::Unsat)
                })
            })
        })?;
        // If no recursive call faults, does the body? By induction over what becomes smaller.
        let faults = self.context.pool.or_all(segment.faults.iter().map(|fault| fault.guard));
        let (faults, never) = (self.without_faults(faults), self.context.pool.bool(false));
        self.faultless =
            faults == never || matches!(self.engine.check(&mut self.context.pool, &[faults]), Answer::Unsat);
        u32::try_from(found).ok()
    }

    /// A term in which no recursive call faults.
    fn without_faults(&mut self, term: Term) -> Term {
        let own = format!("{} faults", self.own_name());
        let never = self.context.pool.bool(false);
        let mut fine = hydrogen_term::Substitution::default();
        for part in self.context.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.context.pool.op(part)
                && self.context.pool.function_name(function) == own
            {
                fine.insert(part, never);
            }
        }
        self.context.pool.substitute_with(term, &mut fine)
    }

    fn body(&mut self, call: Term, is_fault: bool) -> Option<Term> {
        let arguments = self.context.pool.args(call).to_vec();
        let mut state = initial(self.context, &self.old);
        for (n, argument) in (0..).zip(arguments) {
            state.values.insert(Var::Parameter(0, n), Value::Bits(argument, None));
        }
        let segment = self.old.advance(self.context, Target::Entry, state, 1).ok()?;
        let pool = &mut self.context.pool;
        if is_fault {
            let faults = pool.or_all(segment.faults.iter().map(|fault| fault.guard));
            return Some(pool.eq(call, faults));
        }
        let end = segment.ends.iter().find(|end| end.target == Target::Return)?;
        match end.result {
            Some(Value::Bits(value, _)) if pool.sort(value) == pool.sort(call) => {
                let same = pool.eq(call, value);
                Some(pool.implies(end.guard, same))
            }
            _ => None,
        }
    }

    /// What closed calls of the function itself are called.
    pub fn own_name(&self) -> String {
        let code = self.old.code;
        let function = code.module.function(code.frames[0].function);
        let is_float = |ty| matches!(code.module.types.get(ty), Type::Float(_));
        let classes: Vec<bool> =
            function.parameters.iter().map(|parameter| parameter.ty.is_some_and(is_float)).collect();
        let letters = classes.iter().map(|&float| if float { 'f' } else { 'i' });
        let letters: String = if classes.contains(&true) { letters.collect() } else { String::new() };
        format!("{}{letters}", function.name)
    }
}
