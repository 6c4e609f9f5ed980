//! The places that statements share, and the programs that have them.

use super::super::compiled::Compiled;
use super::super::linked::linked;
use super::super::programs::Group;
use super::super::slice::Via;
use super::{Builder, Members};

impl<'a> Builder<'a> {
    /// A node for a place that statements set and others read.
    pub(super) fn place(&mut self, places: &mut Vec<bool>, outside: bool, sets: &[usize], reads: &[usize]) {
        if sets.is_empty() || reads.is_empty() {
            return;
        }
        let node = self.statements.len() + places.len();
        self.edges.extend(sets.iter().map(|&set| (set, node, Via::Place)));
        self.edges.extend(reads.iter().map(|&read| (node, read, Via::Place)));
        places.push(outside);
    }

    /// The programs, by our functions; without compiled code by their files.
    pub(super) fn members(&self, compiled: Option<&Compiled<'a>>) -> Vec<Members> {
        let of_group = |group: &Group| Members {
            functions: Some(
                self.twins
                    .iter()
                    .map(|it| it.is_empty() || it.iter().any(|id| group.members[id.index()]))
                    .collect(),
            ),
            outside: group.outside,
        };
        match compiled {
            Some(compiled) if !compiled.groups.is_empty() => compiled.groups.iter().map(of_group).collect(),
            Some(_) => vec![Members { functions: None, outside: false }],
            None => {
                let of_files = |files: Vec<bool>| Members {
                    functions: Some(self.functions.iter().map(|it| files[it.0 as usize]).collect()),
                    outside: false,
                };
                let programs: Vec<Members> = linked(self.units).into_iter().map(of_files).collect();
                match programs.is_empty() {
                    true => vec![Members { functions: None, outside: false }],
                    false => programs,
                }
            }
        }
    }
}
