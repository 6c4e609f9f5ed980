//! Heap objects that nobody can free any more.

use super::Machine;
use crate::fault::Leak;
use crate::memory::{FRAMES, HEAP, ObjectKind};
use crate::monitor::Monitor;

impl<M: Monitor> Machine<'_, M> {
    /// What is lost, and how many live heap objects are not. Everything that globals, live local variables and what they
    /// point to hold counts as a pointer.
    pub(super) fn leaks(&self) -> (Vec<Leak>, u64) {
        let heap: Vec<usize> = self
            .memory
            .each()
            .filter(|(_, _, info)| info.kind == ObjectKind::Heap && !info.freed)
            .map(|(index, _, _)| index)
            .collect();
        if heap.is_empty() {
            return (Vec::new(), 0);
        }
        let mut seen = vec![false; self.memory.each().last().map_or(0, |(number, ..)| number + 1)];
        let mut work: Vec<(usize, usize)> = Vec::new();
        for (index, object, info) in self.memory.each() {
            // What a call was given, and gave back, is its caller's.
            let given = self.given.iter().any(|address| self.memory.number(*address) == Some(index));
            if info.kind != ObjectKind::Heap || given {
                seen[index] = true;
                work.push((object.start as usize, object.size as usize));
            }
        }
        let top = self.frames.last().map_or(0, |frame| frame.top as usize);
        let mut mark = |bytes: &[u8], work: &mut Vec<(usize, usize)>| {
            for word in bytes.chunks_exact(8) {
                let address = u64::from_le_bytes(*word.first_chunk().expect("eight bytes"));
                if let Some(number) = self.memory.number(address)
                    && seen.get(number) == Some(&false)
                    && let Some(object) = self.memory.object(address)
                    && address.wrapping_sub(object.base) <= object.size
                {
                    seen[number] = true;
                    work.push((object.start as usize, object.size as usize));
                }
            }
        };
        let first = self.frames.first().map_or(0, |frame| frame.local as usize);
        for (from, to) in self.threads.stacks().chain([(first, top)]) {
            mark(&self.memory.arenas[FRAMES].bytes[from..to], &mut work);
        }
        let results: Vec<u8> = self.results.iter().flat_map(|word| word.to_le_bytes()).collect();
        mark(&results, &mut work);
        while let Some((start, size)) = work.pop() {
            // Places in the arena are aligned as the objects are.
            mark(&self.memory.arenas[HEAP].bytes[start..start + size], &mut work);
        }
        let mut leaks: Vec<Leak> = Vec::new();
        let mut lost = 0;
        for index in &heap {
            if seen[*index] {
                continue;
            }
            lost += 1;
            let Some(info) = self.memory.info(*index) else { continue };
            let sites = info.allocated.as_deref().unwrap_or(&[]);
            let (size, allocated) = (info.size, self.describe(sites));
            let same = |leak: &Leak| leak.size == size && leak.allocated == allocated;
            match leaks.iter().position(same) {
                Some(known) => leaks[known].count += 1,
                None if leaks.len() < MOST => leaks.push(Leak { size, count: 1, allocated }),
                None => {}
            }
        }
        (leaks, heap.len() as u64 - lost)
    }
}

/// No more places are listed.
const MOST: usize = 100;
