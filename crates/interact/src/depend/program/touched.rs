//! The places that a statement touches, by its text and by what declarations say.

use super::super::access::{Access, Location};
use super::super::kinds::Locals;
use super::super::named_calls::Extent;
use super::super::spots::{Named, Spot};
use super::super::uses::Uses;
use super::super::variables::inside;
use super::Builder;
use hydrogen_syntax::NameHash;
use rustc_hash::FxHashSet;

/// What a function's own declarations say.
pub(super) struct Scope {
    /// Its parameters and variables.
    pub locals: FxHashSet<NameHash>,
    /// Names whose address it takes.
    pub exposed: FxHashSet<NameHash>,
    pub kinds: Locals,
    /// Its variables that are kept from one call to the next.
    pub kept: FxHashSet<NameHash>,
    /// Its file, and the name of the function there.
    pub file: NameHash,
    pub own: NameHash,
}

/// Places that are read, or set.
struct Places {
    found: Vec<Location>,
    /// What is touched together with any part of memory, and with all of it.
    part: Location,
    whole: Location,
}

impl Places {
    fn reads() -> Self {
        Self { found: Vec::new(), part: Location::Everything, whole: Location::Anything }
    }

    fn sets() -> Self {
        Self { found: Vec::new(), part: Location::Anything, whole: Location::Everything }
    }

    fn memory(&mut self) {
        self.found.extend([Location::Memory, self.part]);
    }

    fn all(&mut self) {
        self.found.extend([self.part, self.whole]);
    }

    fn some(&mut self, extent: Extent) {
        match extent {
            Extent::None => {}
            Extent::Texts => self.memory(),
            Extent::All => self.all(),
        }
    }

    fn done(mut self) -> Box<[Location]> {
        self.found.sort_unstable();
        self.found.dedup();
        self.found.into()
    }
}

impl Builder<'_> {
    /// What a statement reads and sets.
    pub(super) fn access(&self, uses: &Uses, scope: &Scope) -> Access {
        let location = |name: &NameHash| {
            let kept = scope.kept.contains(name);
            let is_global = self.variables.contains(*name) && !self.by_name.contains_key(name);
            match scope.locals.contains(name) {
                true => Some(Location::Local(*name)),
                false if kept => Some(Location::Global(inside(*name, scope.own))),
                false => is_global.then(|| Location::Global(self.variables.full_name(*name, scope.file))),
            }
        };
        let (mut reads, mut sets) = (Places::reads(), Places::sets());
        // A name of which only the address is taken is not read.
        let count = |all: &[NameHash], name: &NameHash| all.iter().filter(|it| *it == name).count();
        // Nor is one of which a part is touched.
        let parts = |all: &[Spot], name: &NameHash| {
            all.iter().filter(|spot| matches!(spot, Spot::Member(_, Some(base)) if base == name)).count()
        };
        let is_read = |name: &&NameHash| {
            let parts = parts(&uses.spots.reads, name) + parts(&uses.spots.sets, name);
            count(&uses.reads, name) > count(&uses.spots.addresses, name) + parts
        };
        reads.found.extend(uses.reads.iter().filter_map(location));
        for name in uses.reads.iter().filter(is_read) {
            self.variable(*name, scope, &mut reads);
        }
        let set = || uses.sets.iter().chain(&uses.may_set);
        sets.found.extend(set().filter_map(location));
        for name in set().filter(|name| parts(&uses.spots.sets, name) == 0) {
            self.variable(*name, scope, &mut sets);
        }
        // Who is given an address may set what is there.
        let touches = !uses.calls.is_empty() || !uses.spots.sets.is_empty() || !uses.spots.reads.is_empty();
        if touches {
            sets.found.extend(uses.spots.addresses.iter().filter_map(location));
        }
        uses.spots.reads.iter().for_each(|spot| self.spot(*spot, scope, &mut reads));
        uses.spots.sets.iter().for_each(|spot| self.spot(*spot, scope, &mut sets));
        reads.some(uses.outside.reads);
        sets.some(uses.outside.sets);
        if uses.outside.files {
            reads.found.push(Location::Files);
            sets.found.push(Location::Files);
        }
        Access { reads: reads.done(), sets: sets.done() }
    }

    /// Whether a variable may be reached through a pointer as well.
    fn is_behind(&self, name: NameHash, scope: &Scope) -> bool {
        scope.exposed.contains(&name)
            || self.exposed.contains(&name) && !scope.locals.contains(&name) && !scope.kept.contains(&name)
    }

    /// A variable as a whole.
    fn variable(&self, name: NameHash, scope: &Scope, places: &mut Places) {
        if !self.is_behind(name, scope) || self.by_name.contains_key(&name) && !scope.locals.contains(&name) {
            return;
        }
        match self.kinds.is_number(&scope.kinds, Named::Variable(name), 0) {
            true => places.memory(),
            false => places.all(),
        }
    }

    fn spot(&self, spot: Spot, scope: &Scope, places: &mut Places) {
        match spot {
            // A part of a variable that nobody else reaches is the variable's own.
            Spot::Member(_, Some(base))
                if !self.is_behind(base, scope)
                    && !self.macros.contains(base)
                    && !self.by_name.contains_key(&base) => {}
            Spot::Member(name, _) => {
                places.found.extend([Location::Member(name), places.part]);
                if !self.kinds.is_number(&scope.kinds, Named::Member(name), 0) {
                    places.all();
                } else if self.exposed_members.contains(&name) {
                    places.memory();
                }
            }
            Spot::Behind(Some(name), steps) if self.kinds.is_number(&scope.kinds, name, steps) => {
                places.memory()
            }
            Spot::Behind(..) => places.all(),
        }
    }
}
