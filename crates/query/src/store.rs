//! What was computed for one question and serves the next. Without it every answer would be the same, later.

use crate::fix::renamed::RenamedMembers;
use crate::judge::members::Stored;
use crate::judge::numbers::Sized;
use crate::judge::own_texts::OwnTexts;
use crate::judge::start::Initial;
use crate::meaning::defined::Defined;
use crate::meaning::effect::Effect;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::sizes::Sizes;
use crate::meaning::statics::{Statics, Stores};
use crate::run::Mode;
use crate::walk::inductive::Kept;
use crate::walk::mods::Mods;
use crate::walk::slots::Slots;
use crate::walk::up::Callers;
use hydrogen_align::Renamed;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Activation, mode, whether layouts are made common and unknown calls are the same, round, function, version, run.
pub(crate) type EffectKey = (String, Mode, (bool, bool), usize, ChainId, VersionId, StepId);

/// Activation, function, version, head of a loop, whether only inside of what is shown for another one, guesses.
pub(crate) type InductiveKey = (String, ChainId, VersionId, Spot, bool, Vec<Term>);

/// The caches.
#[derive(Default)]
pub(crate) struct Store {
    /// Which conditions went through which runs, by function.
    pub passed: FxHashSet<(ChainId, Spot, Term, Term)>,
    pub shapes: FxHashMap<(ChainId, VersionId), Option<Arc<Shape>>>,
    pub effects: FxHashMap<EffectKey, Arc<Effect>>,
    /// Parameters that functions never set.
    pub never_set: FxHashMap<(ChainId, VersionId), Arc<BTreeSet<String>>>,
    /// What functions may write.
    pub mods: FxHashMap<(ChainId, VersionId, Mode), Arc<Mods>>,
    /// Which numbers of a function are sizes.
    pub sizes: FxHashMap<(ChainId, VersionId), Arc<Sizes>>,
    /// The same, with what other functions make of numbers that go into members of structures and to callers.
    pub far_sizes: FxHashMap<(ChainId, VersionId), Arc<Sizes>>,
    /// Which members of structures and which results become sizes in each version.
    pub sized: FxHashMap<VersionId, Arc<Sized>>,
    /// Which versions can leave strings without an end.
    pub open_texts: FxHashMap<VersionId, bool>,
    /// In which variables of each version texts always end.
    pub own_texts: FxHashMap<VersionId, Arc<OwnTexts>>,
    pub callers: Option<Callers>,
    /// Variables of a version of a function that have another name in another one.
    pub renamed: FxHashMap<(ChainId, VersionId, VersionId, VersionId), Arc<Renamed>>,
    /// As `renamed`, of members: of a version against another one.
    pub renamed_members: FxHashMap<(VersionId, VersionId), Arc<RenamedMembers>>,
    /// Which files offer functions to other programs.
    pub offers: FxHashMap<(String, VersionId), bool>,
    /// What each version stores in members of structures.
    pub stored: FxHashMap<VersionId, Arc<Stored>>,
    /// What each version stores in its pointers to functions.
    pub slots: FxHashMap<VersionId, Arc<Slots>>,
    /// What the variables of each version hold when the program starts.
    pub initial: FxHashMap<VersionId, Arc<Initial>>,
    /// The variables of each unit whose stores are all seen, by where the unit lies, and of each version.
    pub statics: FxHashMap<usize, Arc<Statics>>,
    pub all_statics: FxHashMap<VersionId, Arc<BTreeMap<String, Stores>>>,
    /// The variables that each version defines for all of its files.
    pub defined: FxHashMap<VersionId, Arc<Defined>>,
    /// What every round of a loop keeps.
    pub inductive: FxHashMap<InductiveKey, Vec<Kept>>,
    /// What a statement's own function says of it.
    pub local: FxHashMap<(hydrogen_graph::NodeId, VersionId), Option<Arc<hydrogen_local::Found>>>,
}
