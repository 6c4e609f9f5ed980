//! A call as the first input of an exploration: what is symbolic begins as it is there.

use crate::FunctionEntry;
use crate::shape::{id, more, variable};
use crate::surroundings;
use hydrogen_evidence::{Call, Value};
use hydrogen_ir::layout::{Slot, pointee, size_of, slots, target_slots};
use hydrogen_ir::{CType, CTypeId, Module};
use hydrogen_machine::{Program, is_record};
use std::collections::BTreeMap;

/// No more values of one object are taken over.
const MOST: usize = 4096;

impl FunctionEntry {
    /// The values of a call by the names of their symbols. Only what parameters lead to is taken over. Objects can have as many elements
    /// as there.
    pub fn seed(&mut self, program: &Program, call: &Call) -> BTreeMap<String, Vec<u8>> {
        let mut named = BTreeMap::new();
        let Some((module, function)) = self.find(program) else { return named };
        let Some(CType::Function { parameters, .. }) = function.ctype.map(|ctype| module.ctype(ctype)) else {
            return named;
        };
        let mut most = self.elements;
        for (argument, ctype) in call.arguments.iter().zip(parameters) {
            let name = &argument.name;
            match &argument.value {
                Value::Number(number) => {
                    let bytes = number.bits.to_le_bytes()[..argument.value.bytes() as usize].to_vec();
                    named.insert(variable(name), bytes);
                }
                Value::Object(at, 0) if is_record(module, *ctype) => {
                    fill(&mut named, call, *at, &slots(module, *ctype, name, MOST));
                }
                Value::Object(at, 0) => {
                    let Some((elements, places)) = elements(module, call, *at, *ctype, name) else {
                        continue;
                    };
                    most = most.max(elements);
                    named.insert(variable(name), id(name).to_le_bytes().to_vec());
                    named.insert(variable(&more(name)), elements.saturating_sub(1).to_le_bytes().to_vec());
                    fill(&mut named, call, *at, &places);
                }
                _ => {}
            }
        }
        self.elements = most;
        named
    }

    /// What of these names is neither a parameter nor a global variable that the function may read and that can hold anything.
    pub fn strangers<'n>(
        &self,
        program: &Program,
        names: impl Iterator<Item = &'n String>,
    ) -> Vec<&'n String> {
        let Some((module, function)) = self.find(program) else { return Vec::new() };
        let parameters = crate::shape::parameters(module, function).unwrap_or_default();
        let globals = surroundings::globals(module, function);
        let known = |name: &String| {
            parameters.iter().any(|one| one.name == *name) || globals.iter().any(|one| one.name == *name)
        };
        names.filter(|name| !known(name)).collect()
    }
}

/// How many elements an object has, and the scalars in it.
fn elements(module: &Module, call: &Call, at: usize, ctype: CTypeId, name: &str) -> Option<(u64, Vec<Slot>)> {
    let target = pointee(module, ctype)?;
    let count = call.objects.get(at)?.size / size_of(module, target)?;
    Some((count, target_slots(module, target, name, count, MOST)))
}

fn fill(named: &mut BTreeMap<String, Vec<u8>>, call: &Call, at: usize, slots: &[Slot]) {
    for cell in call.objects.get(at).map_or(&[][..], |object| &object.cells) {
        let slot = slots.iter().find(|slot| slot.at == cell.at && slot.bytes == cell.value.bytes());
        if let (Some(slot), Value::Number(number)) = (slot, &cell.value) {
            named.insert(variable(&slot.path), number.bits.to_le_bytes()[..slot.bytes as usize].to_vec());
        }
    }
}
