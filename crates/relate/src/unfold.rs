//! What a recursive call gives back is what the old version's body says of its arguments.
//!
//! While two recursive functions are compared, their recursive calls are one unknown function: the old version's own. So for any arguments it gives
//! what the old body gives for them, with the same unknown function inside, and it faults where the old body does. That is said of the calls that a
//! question has, and not of those inside of these: enough for a recursion that was unrolled, or ends elsewhere.

use crate::{code::Var, prove::Prover, segment::Target, start::initial, state::Value};
use hydrogen_ir::Type;
use hydrogen_term::{Op, Term};

/// Calls that are looked into.
const MOST: usize = 12;

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
    fn own_name(&self) -> String {
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
