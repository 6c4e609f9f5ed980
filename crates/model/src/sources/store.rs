//! Units by blob, bounded.

use hydrogen_history::Oid;
use hydrogen_syntax::{Mentioned, Names, Unit};
use std::collections::HashMap;
use std::sync::Arc;

/// What was read.
#[derive(Debug)]
pub(super) struct Store<T> {
    budget: usize,
    used: usize,
    clock: u64,
    blobs: HashMap<Oid, Vec<Blob<T>>>,
    /// What the blobs that were read since [`Store::take_fresh`] mention, by path: it may be forgotten above before anybody asks.
    fresh: Fresh,
    /// What headers say; few and small.
    names: HashMap<Oid, (u64, Arc<Names>)>,
}

/// Mentions by blob and path.
pub(super) type Fresh = HashMap<Oid, Vec<(Box<str>, Arc<[Arc<Mentioned>]>)>>;

/// A blob at one path.
#[derive(Debug)]
struct Blob<T> {
    path: Box<str>,
    mentions: Arc<[Arc<Mentioned>]>,
    /// What headers say about the names in it, for their last few states.
    digests: Vec<(u128, u64)>,
    /// Units by what was known when they were read.
    units: Vec<(u64, Arc<T>)>,
    weight: usize,
    last: u64,
}

/// So many blobs wait at most for somebody who asks what they mention.
const FRESH: usize = 100_000;
/// More headers than this at a time are dropped by age.
const HEADERS: usize = 100_000;
/// A history goes back and forth between few states of its headers.
const STATES: usize = 4;

impl<T> Store<T> {
    pub fn new(budget: usize) -> Self {
        Self { budget, used: 0, clock: 0, blobs: HashMap::new(), fresh: Fresh::new(), names: HashMap::new() }
    }

    pub fn mentions(&self, oid: Oid, path: &str) -> Option<Arc<[Arc<Mentioned>]>> {
        Some(Arc::clone(&self.blobs.get(&oid)?.iter().find(|blob| &*blob.path == path)?.mentions))
    }

    /// What headers in a state say about the names in a blob, if that was asked before.
    pub fn digest(&self, oid: Oid, path: &str, stamp: u128) -> Option<u64> {
        let blob = self.blobs.get(&oid)?.iter().find(|blob| &*blob.path == path)?;
        blob.digests.iter().find(|(known, _)| *known == stamp).map(|(_, digest)| *digest)
    }

    /// Keeps what headers in a state say about the names in a blob.
    pub fn put_digest(&mut self, oid: Oid, path: &str, stamp: u128, digest: u64) {
        let blob = self.blobs.get_mut(&oid).and_then(|blobs| blobs.iter_mut().find(|it| &*it.path == path));
        if let Some(blob) = blob.filter(|blob| blob.digests.iter().all(|(known, _)| *known != stamp)) {
            if blob.digests.len() >= STATES {
                blob.digests.remove(0);
            }
            blob.digests.push((stamp, digest));
        }
    }

    pub fn get(&mut self, oid: Oid, path: &str, digest: u64) -> Option<Arc<T>> {
        self.clock += 1;
        let blob = self.blobs.get_mut(&oid)?.iter_mut().find(|blob| &*blob.path == path)?;
        blob.last = self.clock;
        blob.units.iter().find(|(known, _)| *known == digest).map(|(_, unit)| Arc::clone(unit))
    }

    pub fn put(
        &mut self,
        oid: Oid,
        path: &str,
        mentions: Arc<[Arc<Mentioned>]>,
        digest: u64,
        (unit, weight): (Arc<T>, usize),
    ) {
        self.clock += 1;
        // Nobody asks where no tree is followed.
        if self.fresh.len() < FRESH {
            self.fresh.entry(oid).or_default().push((path.into(), Arc::clone(&mentions)));
        }
        let weight = weight + mentions.len() * size_of::<usize>();
        self.used += weight;
        let blobs = self.blobs.entry(oid).or_default();
        let at = blobs.iter().position(|blob| &*blob.path == path).unwrap_or_else(|| {
            let path = path.into();
            blobs.push(Blob { path, mentions, digests: Vec::new(), units: Vec::new(), weight: 0, last: 0 });
            blobs.len() - 1
        });
        let blob = &mut blobs[at];
        blob.weight += weight;
        blob.last = self.clock;
        blob.units.push((digest, unit));
        if self.used > self.budget {
            self.shrink();
        }
    }

    /// What was read since the last time.
    pub fn take_fresh(&mut self) -> Fresh {
        std::mem::take(&mut self.fresh)
    }

    pub fn names(&mut self, oid: Oid) -> Option<Arc<Names>> {
        self.clock += 1;
        let (last, names) = self.names.get_mut(&oid)?;
        *last = self.clock;
        Some(Arc::clone(names))
    }

    pub fn put_names(&mut self, oid: Oid, names: Arc<Names>) {
        self.clock += 1;
        self.names.insert(oid, (self.clock, names));
        if self.names.len() > HEADERS {
            let oldest = self.clock - HEADERS as u64 / 2;
            self.names.retain(|_, (last, _)| *last >= oldest);
        }
    }

    /// Drops what was not used for the longest time, down to half the budget, so that the work is seldom done.
    fn shrink(&mut self) {
        let mut ages: Vec<(u64, usize)> =
            self.blobs.values().flatten().map(|blob| (blob.last, blob.weight)).collect();
        ages.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept = 0;
        let fits = |(_, weight): &&(u64, usize)| {
            kept += weight;
            kept <= self.budget / 2
        };
        let oldest = ages.iter().take_while(fits).last().map_or(u64::MAX, |(last, _)| *last);
        self.used = 0;
        self.blobs.retain(|_, blobs| {
            blobs.retain(|blob| blob.last >= oldest);
            self.used += blobs.iter().map(|blob| blob.weight).sum::<usize>();
            !blobs.is_empty()
        });
    }
}

/// About how many bytes a unit takes.
pub(super) fn weight(unit: &Unit) -> usize {
    let functions = unit.module.functions.iter().map(|function| {
        let texts: usize = function.pieces.iter().map(|piece| piece.text.len() + 88).sum();
        texts + function.flow.len() * 40 + function.calls.len() * 64 + 300
    });
    let items = unit.items.iter().map(|item| item.text.len() + item.name.len() + 96);
    let uses = unit.uses.iter().map(|uses| uses.len() * 8 + 24);
    functions.sum::<usize>() + items.sum::<usize>() + uses.sum::<usize>() + 512
}
