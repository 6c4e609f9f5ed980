//! What might hold at a pair of places: proposed by names and by what was seen in runs.

use crate::{
    align::Alignment,
    code::{Code, Var},
    context::Side,
    data::{Row, Trace},
    relation::{Fact, Form, Operand, Order, Places, Relation},
    segment::{Target, is_cut},
    state::State,
    variables::number,
    variables::{name_of, variables},
};
use std::collections::{BTreeMap, BTreeSet};

/// Forms proposed for one variable.
const MOST_FORMS: usize = 8;
/// Variables of one version that are compared with each other.
const MOST_COMPARED: usize = 12;

/// The rows of both versions at each pair of places that the runs came to.
pub(crate) fn rows(alignment: &Alignment, old: &[Trace], new: &[Trace]) -> BTreeMap<Places, Vec<(Row, Row)>> {
    let mut found: BTreeMap<Places, Vec<(Row, Row)>> = BTreeMap::new();
    visits(alignment, old, new, |_, places, rows| {
        found.entry(places).or_default().push((rows.0.clone(), rows.1.clone()));
    });
    found
}

/// For each of these rows the number of the run that it is from.
pub(crate) fn came_in(alignment: &Alignment, old: &[Trace], new: &[Trace]) -> BTreeMap<Places, Vec<usize>> {
    let mut found: BTreeMap<Places, Vec<usize>> = BTreeMap::new();
    visits(alignment, old, new, |run, places, _| found.entry(places).or_default().push(run));
    found
}

/// Goes along all pairs of runs, as they are aligned.
fn visits(
    alignment: &Alignment,
    old: &[Trace],
    new: &[Trace],
    mut visit: impl FnMut(usize, Places, (&Row, &Row)),
) {
    for (run, (old, new)) in old.iter().zip(new).enumerate() {
        let (mut i, mut j) = (0, 0);
        loop {
            let places = (old[i].0, new[j].0);
            visit(run, places, (&old[i].1, &new[j].1));
            let (a, b) = match alignment.lead {
                Side::New if j + 1 < new.len() => (alignment.steps(places, new[j + 1].0), 1),
                Side::Old if i + 1 < old.len() => (1, alignment.steps(places, old[i + 1].0)),
                _ => break,
            };
            (i, j) = (waiting(old, i + a), waiting(new, j + b));
            let (Some(one), Some(other)) = (old.get(i), new.get(j)) else { break };
            if !is_cut((one.0, other.0)) {
                break;
            }
        }
    }
}

/// A run that has returned waits there for the other.
fn waiting(trace: &Trace, at: usize) -> usize {
    match trace.last() {
        Some((Target::Return, _)) => at.min(trace.len() - 1),
        _ => at,
    }
}

/// A relation to begin with: everything that the runs do not contradict.
pub(crate) fn relation(old: &Code, new: &Code, places: Places, rows: &[(Row, Row)]) -> Relation {
    let mut relation = Relation::default();
    let (olds, news) = (variables(old, places.0), variables(new, places.1));
    for (&var, width) in &news {
        relation.forms.insert(var, forms(old, new, &olds, var, *width, rows));
    }
    let seen = |side: Operand, row: &(Row, Row)| match side {
        Operand::Old(var) => row.0.get(&var).copied(),
        Operand::New(var) => row.1.get(&var).copied(),
        Operand::Number(_) => None,
    };
    let all: Vec<(Operand, u32)> = olds.iter().map(|(&var, &width)| (Operand::Old(var), width)).collect();
    let own = news.iter().filter(|(var, _)| {
        !relation.forms[*var]
            .first()
            .is_some_and(|form| form.terms.len() == 1 && form.terms[0].0 == 1 && form.constant == 0)
    });
    let own: Vec<(Operand, u32)> = own.map(|(&var, &width)| (Operand::New(var), width)).collect();
    let mut facts = BTreeSet::new();
    // Across versions, as far as variables are not simply equal.
    for &(one, width) in own.iter().take(MOST_COMPARED) {
        for &(other, wide) in all.iter().take(MOST_COMPARED) {
            if width == wide && width > 1 {
                compared(one, other, width, rows, &seen, &mut facts);
                compared(other, one, width, rows, &seen, &mut facts);
            }
            if width > wide && wide >= 8 {
                low(one, other, wide, rows, &seen, &mut facts);
            }
        }
    }
    for group in [all, own] {
        for &(one, width) in group.iter().take(MOST_COMPARED) {
            alone(one, width, rows, &seen, &mut facts);
            for &(other, wide) in group.iter().take(MOST_COMPARED) {
                if one != other && width == wide && width > 1 {
                    compared(one, other, width, rows, &seen, &mut facts);
                }
            }
        }
    }
    relation.facts = facts;
    relation
}

/// Adds what the values on arrival suggest: a variable equals those of the old version that hold the same term. Names go first.
pub(crate) fn arrived(relation: &mut Relation, old: &State, new: &State) {
    for (var, forms) in relation.forms.iter_mut().filter(|(_, forms)| forms.is_empty()) {
        let Some(value) = number(new, *var) else { continue };
        let same = old.values.keys().filter(|&&other| number(old, other) == Some(value));
        forms.extend(same.map(|&other| Form::same(other)).take(MOST_FORMS));
    }
}

fn alone(
    one: Operand,
    width: u32,
    rows: &[(Row, Row)],
    seen: &impl Fn(Operand, &(Row, Row)) -> Option<(u32, u128)>,
    facts: &mut BTreeSet<Fact>,
) {
    let values: Vec<u128> = rows.iter().filter_map(|row| seen(one, row)).map(|(_, bits)| bits).collect();
    let Some(&first) = values.first() else { return };
    let mut add = |order, left, right| {
        facts.insert(Fact { order, left, right });
    };
    if values.iter().all(|&bits| bits == first) {
        add(Order::Equal, one, Operand::Number(first));
    }
    if width > 1 && values.iter().all(|&bits| signed(bits, width) >= 0) {
        add(Order::Signed, Operand::Number(0), one);
    }
    if values.iter().all(|&bits| bits != 0) {
        add(Order::Different, one, Operand::Number(0));
    }
    if width > 1 && values.iter().all(|&bits| signed(bits, width) >= 1) {
        add(Order::Signed, Operand::Number(1), one);
    }
    // Bounds under which multiples of the usual sizes of elements do not wrap, and those of addresses.
    if width == 64 {
        let is_address = values.iter().all(|&bits| (0x1000..1 << 47).contains(&bits));
        if is_address {
            add(Order::Unsigned, one, Operand::Number((1 << 47) - 1));
        } else {
            let most = i128::from(i64::MAX / 16);
            add(Order::Signed, one, Operand::Number(most as u128));
            add(Order::Signed, Operand::Number((-most) as u128), one);
        }
    }
    for power in [8, 4, 2] {
        if width > 3
            && values.iter().all(|&bits| bits % power == 0)
            && values.iter().any(|&bits| bits != first)
        {
            add(Order::Multiple, one, Operand::Number(power));
            break;
        }
    }
}

/// A wider variable may hold what a narrower one held, and more above: a type was changed.
fn low(
    one: Operand,
    other: Operand,
    wide: u32,
    rows: &[(Row, Row)],
    seen: &impl Fn(Operand, &(Row, Row)) -> Option<(u32, u128)>,
    facts: &mut BTreeSet<Fact>,
) {
    let pairs: Vec<(u128, u128)> =
        rows.iter().filter_map(|row| Some((seen(one, row)?.1, seen(other, row)?.1))).collect();
    let varies = pairs.iter().any(|pair| Some(pair) != pairs.first());
    if varies && pairs.iter().all(|&(a, b)| cut(a, wide) == b) {
        facts.insert(Fact { order: Order::Low, left: one, right: other });
    }
}

fn compared(
    one: Operand,
    other: Operand,
    width: u32,
    rows: &[(Row, Row)],
    seen: &impl Fn(Operand, &(Row, Row)) -> Option<(u32, u128)>,
    facts: &mut BTreeSet<Fact>,
) {
    let pairs: Vec<(u128, u128)> =
        rows.iter().filter_map(|row| Some((seen(one, row)?.1, seen(other, row)?.1))).collect();
    if pairs.is_empty() {
        return;
    }
    let mut add = |order| {
        facts.insert(Fact { order, left: one, right: other });
    };
    if pairs.iter().all(|(a, b)| a == b) {
        if one < other {
            add(Order::Equal);
        }
        return;
    }
    if pairs.iter().all(|&(a, b)| signed(a, width) < signed(b, width)) {
        add(Order::SignedStrictly);
    } else if pairs.iter().all(|&(a, b)| signed(a, width) <= signed(b, width)) {
        add(Order::Signed);
    }
    if pairs.iter().all(|(a, b)| a < b) {
        add(Order::UnsignedStrictly);
    } else if pairs.iter().all(|(a, b)| a <= b) {
        add(Order::Unsigned);
    }
}

fn forms(
    old: &Code,
    new: &Code,
    olds: &BTreeMap<Var, u32>,
    var: Var,
    width: u32,
    rows: &[(Row, Row)],
) -> Vec<Form> {
    let data: Vec<(&Row, u128)> =
        rows.iter().filter_map(|(old, new)| Some((old, new.get(&var)?.1))).collect();
    let fits = |form: &Form| data.iter().all(|(row, value)| form.number(row, width) == Some(*value));
    let name = name_of(new, var);
    let mut found: Vec<Form> = Vec::new();
    let mut add = |form: Form| {
        if found.len() < MOST_FORMS && !found.contains(&form) && fits(&form) {
            found.push(form);
        }
    };
    let named = |one: &Var| !name.is_empty() && name_of(old, *one) == name;
    let same: Vec<Var> = olds.iter().filter(|(_, wide)| **wide == width).map(|(&var, _)| var).collect();
    same.iter().filter(|var| named(var)).for_each(|&var| add(Form::same(var)));
    if data.is_empty() {
        return found;
    }
    same.iter().for_each(|&var| add(Form::same(var)));
    let (first, value) = data[0];
    // Sums of one variable's multiple and a constant, and that added to another variable.
    for &one in olds.keys() {
        for signed in [true, false] {
            if let Some(form) = line(&data, None, one, signed, width) {
                add(form);
            }
            for &base in same.iter().filter(|&&base| base != one) {
                if let Some(form) = line(&data, Some(base), one, signed, width) {
                    add(form);
                }
            }
        }
    }
    for &one in &same {
        if let Some(at) = first.get(&one) {
            add(Form { constant: cut(value.wrapping_sub(at.1), width), terms: vec![(1, one, true)] });
        }
    }
    add(Form { constant: value, terms: Vec::new() });
    found
}

/// A line through the first two different points.
fn line(data: &[(&Row, u128)], base: Option<Var>, one: Var, is_signed: bool, width: u32) -> Option<Form> {
    let extended = |row: &Row, var: Var| {
        let &(wide, bits) = row.get(&var)?;
        Some(if is_signed { signed(bits, wide) } else { bits as i128 })
    };
    let left = |(row, value): &(&Row, u128)| {
        let at = match base {
            Some(base) => row.get(&base)?.1,
            None => 0,
        };
        Some(signed(cut(value.wrapping_sub(at), width), width))
    };
    let (x, y) = (extended(data[0].0, one)?, left(&data[0])?);
    let other = data.iter().find(|point| extended(point.0, one).is_some_and(|other| other != x))?;
    let (dx, dy) = (extended(other.0, one)? - x, left(other)?.checked_sub(y)?);
    if dy == 0 || dy % dx != 0 || (dy / dx).abs() > 4096 {
        return None;
    }
    let factor = dy / dx;
    let constant = cut(y.checked_sub(factor.checked_mul(x)?)? as u128, width);
    let mut terms: Vec<(i128, Var, bool)> = base.into_iter().map(|base| (1, base, true)).collect();
    terms.push((factor, one, is_signed));
    Some(Form { constant, terms })
}

impl Form {
    /// The value in a row.
    fn number(&self, row: &Row, width: u32) -> Option<u128> {
        let mut sum = self.constant;
        for &(factor, var, is_signed) in &self.terms {
            let &(wide, bits) = row.get(&var)?;
            let value = if is_signed { signed(bits, wide) as u128 } else { bits };
            sum = sum.wrapping_add(value.wrapping_mul(factor as u128));
        }
        Some(cut(sum, width))
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    (bits << (128 - width)) as i128 >> (128 - width)
}

fn cut(bits: u128, width: u32) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}
