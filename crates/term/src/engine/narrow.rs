//! A question about small numbers: most conditions that hold at all hold for some, and gates for a few bits are answered much faster.

use crate::{
    pool::Pool,
    rewrite::Substitution,
    sort::Sort,
    term::Term,
    value::{Model, Value},
};

/// Bits that are left of wide variables.
const FEW: u32 = 12;

/// Variables, with the narrow ones in their place.
pub(super) struct Narrowed {
    variables: Vec<(Term, Term)>,
    /// The constraints about small numbers; they may be false although the original ones can hold.
    pub constraints: Vec<Term>,
}

impl Narrowed {
    /// None if there are no wide variables, or if there are floating-point numbers, of which those with few bits are no usual ones.
    pub fn of(pool: &mut Pool, constraints: &[Term]) -> Option<Self> {
        if pool.logic(constraints).has_floats() {
            return None;
        }
        let mut variables = Vec::new();
        let mut put = Substitution::default();
        for variable in pool.variables(constraints) {
            let Sort::Bits(width) = pool.sort(variable) else { continue };
            if width <= FEW {
                continue;
            }
            let name = format!("narrow {}", pool.as_var(variable).unwrap_or_default());
            let small = pool.var(&name, Sort::Bits(FEW));
            let wide = pool.zext(small, width);
            put.insert(variable, wide);
            variables.push((variable, small));
        }
        if variables.is_empty() {
            return None;
        }
        let constraints = constraints.iter().map(|&one| pool.substitute_with(one, &mut put)).collect();
        Some(Self { variables, constraints })
    }

    /// The model in terms of the wide variables.
    pub fn widen(&self, pool: &Pool, mut model: Model) -> Model {
        for &(variable, small) in &self.variables {
            let value = model.variables.remove(&small).and_then(|value| value.as_bits()).unwrap_or(0);
            model.set(variable, Value::Bits { width: pool.width(variable), value });
        }
        model
    }
}
