//! What members of a slice read and branches before them might have changed.
//!
//! A want says: since `since`, nobody wrote this; a branch after that, whose other side may write it, matters.

use crate::effects::Missed;
use crate::labels::{Label, Labels};
use crate::node::Node;
use crate::places::PSEUDO;
use crate::{dependences::Dependences, places::Cell};
use hydrogen_flow::ObjectId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Debug, Clone, Copy)]
struct Want {
    since: Node,
    label: Label,
}

/// What is wanted while going backwards.
#[derive(Debug, Default)]
pub(crate) struct Wants {
    /// By activation and variable.
    variables: FxHashMap<u32, Vec<(u32, Want)>>,
    cells: FxHashMap<u32, Vec<Want>>,
    /// The wanted cells of each object.
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    /// What branches might have written, by number.
    missed: Vec<Arc<Missed>>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// By number and cell: whether it may be written there.
    answers: FxHashMap<(u32, u32), bool>,
}

/// Adds a want to those of the same thing, if no other says as much.
fn add(list: &mut Vec<Want>, new: Want) {
    for old in list.iter_mut() {
        if old.label == new.label {
            old.since = old.since.min(new.since);
            return;
        }
    }
    list.push(new);
}

impl Wants {
    pub(crate) fn variable(&mut self, frame: u32, variable: u32, since: Node, label: Label) {
        let list = self.variables.entry(frame).or_default();
        for (known, want) in list.iter_mut() {
            if *known == variable && want.label == label {
                want.since = want.since.min(since);
                return;
            }
        }
        list.push((variable, Want { since, label }));
    }

    pub(crate) fn cell(&mut self, number: u32, cell: &Cell, since: Node, label: Label) {
        let list = self.cells.entry(number).or_insert_with(|| {
            if number >= PSEUDO {
                self.by_object.entry(cell.place.object).or_default().push(number);
            }
            Vec::new()
        });
        add(list, Want { since, label });
    }

    /// The activation begins here: nothing before was of it.
    pub(crate) fn forget(&mut self, frame: u32) {
        self.variables.remove(&frame);
    }

    /// Who wants something that a branch or a store might have changed.
    pub(crate) fn matched(
        &mut self,
        dependences: &Dependences<'_, '_>,
        labels: &mut Labels,
        record: &crate::page::Record<'_>,
    ) -> Label {
        if self.variables.is_empty() && self.cells.is_empty() {
            return 0;
        }
        let statics = dependences.statics;
        let key = (record.function, record.pc);
        let number = match self.numbers.get(&key) {
            Some(known) => *known,
            None => {
                self.missed.push(statics.missed(record.function(), record.pc));
                let number = self.missed.len() as u32 - 1;
                self.numbers.insert(key, number);
                number
            }
        };
        let missed = Arc::clone(&self.missed[number as usize]);
        let mut label = 0;
        if let Some(wants) = self.variables.get_mut(&record.frame) {
            wants.retain(|(_, want)| want.since < record.node);
            for (variable, want) in wants {
                if missed.variables.binary_search(variable).is_ok() {
                    label = labels.union(label, want.label);
                }
            }
        }
        for cell in 0..PSEUDO {
            if missed.pseudo >> cell & 1 != 0 {
                let wanted = self.wanted(cell, record.node, labels);
                label = labels.union(label, wanted);
            }
        }
        let objects: Vec<ObjectId> = match missed.memory.unknown {
            true => self.by_object.keys().copied().collect(),
            false => {
                let unknown = missed.memory.escaped.then_some(ObjectId::UNKNOWN);
                missed.memory.objects.iter().copied().chain(unknown).collect()
            }
        };
        for object in objects {
            let wanted = self.by_object(dependences, (number, &missed), object, record.node, labels);
            label = labels.union(label, wanted);
        }
        label
    }

    fn by_object(
        &mut self,
        dependences: &Dependences<'_, '_>,
        (number, missed): (u32, &Missed),
        object: ObjectId,
        node: Node,
        labels: &mut Labels,
    ) -> Label {
        let Some(mut cells) = self.by_object.remove(&object) else { return 0 };
        let mut label = 0;
        cells.retain(|cell| {
            let may = *self.answers.entry((number, *cell)).or_insert_with(|| {
                dependences.statics.may_write(missed, *cell, &dependences.cells[*cell as usize])
            });
            if may {
                let Some(wants) = self.cells.get_mut(cell) else { return false };
                wants.retain(|want| want.since < node);
                for want in wants.iter() {
                    label = labels.union(label, want.label);
                }
                if wants.is_empty() {
                    self.cells.remove(cell);
                    return false;
                }
            }
            true
        });
        if !cells.is_empty() {
            self.by_object.insert(object, cells);
        }
        label
    }

    fn wanted(&mut self, cell: u32, node: Node, labels: &mut Labels) -> Label {
        let wants = self.cells.get(&cell).map_or(&[][..], Vec::as_slice);
        let now = wants.iter().filter(|want| want.since < node);
        now.fold(0, |label, want| labels.union(label, want.label))
    }
}
