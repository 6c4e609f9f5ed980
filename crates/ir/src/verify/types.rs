//! IR-2 and the search for cycles that IR-3 shares.

use super::{Report, Rule};
use crate::{Module, Reference, StructType, Type};

pub(super) fn check(module: &Module, report: &mut Report) {
    let children = |index: usize| {
        let mut children = Vec::new();
        let ty = module.types.get(crate::TypeId::at(index));
        // A function type holds no values of its parameters' types, but it has no meaning inside itself either.
        ty.references(|reference| {
            if let Reference::Type(id) = reference {
                children.push(id.index());
            }
        });
        children
    };
    for index in cyclic(module.types.len(), children) {
        report.add(Rule::TypesFinite, format_args!("type %{index}"), "contains itself");
    }
    for (id, ty) in module.types.iter() {
        let Some(layout) = module.types.layout(id) else { continue };
        let fields = match ty {
            Type::Struct(StructType { fields: Some(fields), .. }) => fields.len(),
            _ => 0,
        };
        if layout.field_offsets.len() != fields {
            let message = format!("has {fields} fields and {} offsets", layout.field_offsets.len());
            report.add(Rule::TypesFinite, format_args!("type %{}", id.0), message);
        }
    }
}

/// Nodes that close a cycle of a graph with nodes `0..count`; without recursion, for tables come from files.
pub(super) fn cyclic(count: usize, children: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; count];
    let mut found = Vec::new();
    for root in 0..count {
        if states[root] != State::New {
            continue;
        }
        states[root] = State::Open;
        let mut stack = vec![(root, children(root).into_iter())];
        while let Some((node, rest)) = stack.last_mut() {
            match rest.next() {
                None => {
                    states[*node] = State::Done;
                    stack.pop();
                }
                Some(child) if states[child] == State::New => {
                    states[child] = State::Open;
                    stack.push((child, children(child).into_iter()));
                }
                Some(child) if states[child] == State::Open => found.push(child),
                Some(_) => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
