//! How far a change got in one input: the change-effect graph (D-4.13), with the reason why it stopped at each of its ends.
//!
//! A node is an execution of a statement that computed something else than in the other version, or that the other version did not execute, because of
//! a change. An edge says that one depends on another. The graph is a DAG (N-4), since dependences lead back in time. Values are compared without
//! addresses (F-B13), so what only lies elsewhere is no effect.

use crate::search::Search;
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::{Effect, Effects, Stopped};
use hydrogen_pair::{Alignment, Instances, Ran, Setting, Statement};
use hydrogen_trace::{Because, Dependences, Static};
use std::collections::{BTreeMap, BTreeSet};

/// The graph of executions, by number of the instance.
pub(crate) struct Graph {
    pub(crate) members: BTreeSet<u32>,
    edges: BTreeSet<(u32, u32)>,
    /// Who uses a member without being one, and whether that is a branch.
    pub(crate) others: BTreeMap<u32, BTreeSet<(u32, bool)>>,
}

impl Graph {
    /// The members from which nothing leads on.
    pub(crate) fn leaves(&self) -> BTreeSet<u32> {
        let leads_on: BTreeSet<u32> = self.edges.iter().map(|(on, _)| *on).collect();
        self.members.difference(&leads_on).copied().collect()
    }
}

impl Search<'_, '_> {
    /// The change-effect graphs of an input: that of the old version, in which the new one is what it is compared with, and that of the new one.
    pub fn effects(&mut self, shape: usize, input: &Input) -> Option<[Effects; 2]> {
        let setting = Setting {
            world: &self.shapes[shape].world,
            symbolic: &self.shapes[shape].symbolic,
            limits: &self.options.limits,
        };
        let runs: [Ran; 2] = self.pair.run(setting, input).ok()?.try_into().ok()?;
        self.effects_of(&runs)
    }

    /// The change-effect graphs of two runs of one input.
    pub fn effects_of(&self, runs: &[Ran; 2]) -> Option<[Effects; 2]> {
        let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
        let one = |side: usize| {
            let ran = &runs[side];
            let entry = ran.call.as_ref().map_or(ran.seen.world.entry.as_str(), |call| &call.function);
            let statics = Static::new(self.pair.programs()[side], &[entry]);
            let options = hydrogen_trace::Options { anywhere: ran.somewhere.clone(), ..Default::default() };
            let dependences = Dependences::new(&statics, &ran.trace, &options).ok()?;
            let graph = self.graph(runs, side, &alignment, &dependences)?;
            Some(self.by_statement(ran, &graph))
        };
        Some([one(0)?, one(1)?])
    }

    /// The graph of one of the runs; `dependences` are that run's.
    pub(crate) fn graph(
        &self,
        runs: &[Ran; 2],
        side: usize,
        alignment: &Alignment,
        dependences: &Dependences<'_, '_>,
    ) -> Option<Graph> {
        let (ran, other) = (&runs[side], &runs[1 - side]);
        let partners = if side == 0 { &alignment.second_of } else { &alignment.first_of };
        let differs = |at: u32| {
            partners[at as usize].is_none_or(|partner| {
                ran.instances.all[at as usize].values != other.instances.all[partner as usize].values
            })
        };
        let is_change = |at: u32| self.changes.contains(ran.instances.all[at as usize].node);
        let mut branches = BTreeSet::new();
        dependences
            .instances(|instance| {
                if instance.branches {
                    branches.extend(number_of(&ran.instances, instance.step));
                }
            })
            .ok()?;
        let mut all: BTreeSet<(u32, u32)> = BTreeSet::new();
        dependences
            .each(|who, on, because| {
                if let (Some(who), Some(on)) = (number_of(&ran.instances, who), number_of(&ran.instances, on))
                    && who != on
                    // That the same branch was taken to a statement is no effect of what decided it.
                    && (because == Because::Data || differs(who))
                {
                    all.insert((on, who));
                }
            })
            .ok()?;
        let mut graph = Graph { members: BTreeSet::new(), edges: BTreeSet::new(), others: BTreeMap::new() };
        graph.members.extend((0..ran.instances.all.len() as u32).filter(|at| is_change(*at) && differs(*at)));
        // Dependences lead back in time, but statements overlap where one calls another: until nothing is new.
        loop {
            let mut is_new = false;
            for (on, who) in &all {
                if graph.members.contains(on) && differs(*who) {
                    is_new |= graph.members.insert(*who);
                }
            }
            if !is_new {
                break;
            }
        }
        for (on, who) in all.into_iter().filter(|(on, _)| graph.members.contains(on)) {
            match graph.members.contains(&who) {
                true => drop(graph.edges.insert((on, who))),
                false => {
                    graph.others.entry(on).or_default().insert((who, branches.contains(&who)));
                }
            }
        }
        Some(graph)
    }

    /// The graph as people see it: one entry for all executions of a statement that somebody wrote.
    fn by_statement(&self, ran: &Ran, graph: &Graph) -> Effects {
        let node = |at: &u32| ran.instances.all[*at as usize].node;
        let written = |at: &u32| matches!(self.pair.nodes.statement(node(at)), Statement::Graph(_));
        let mut numbers = BTreeMap::new();
        let mut effects = Effects::default();
        for at in graph.members.iter().filter(|at| written(at)) {
            let number = *numbers.entry(node(at)).or_insert_with(|| {
                let point = self.point(node(at));
                effects.all.push(Effect { point, times: 0, to: BTreeSet::new(), stopped: BTreeSet::new() });
                effects.all.len() - 1
            });
            effects.all[number].times += 1;
        }
        for (on, who) in &graph.edges {
            if let (Some(on), Some(who)) = (numbers.get(&node(on)), numbers.get(&node(who)))
                && on != who
            {
                effects.all[*on].to.insert(*who);
            }
        }
        let leaves = graph.leaves();
        for at in leaves.iter().filter(|at| written(at)) {
            let stopped = match graph.others.get(at) {
                None => (Stopped::Unused, None),
                Some(users) => {
                    let branch = users.iter().find(|(_, branches)| *branches);
                    let kind = if branch.is_some() { Stopped::SameWay } else { Stopped::Masked };
                    let user = branch.or(users.first()).filter(|(who, _)| written(who));
                    (kind, user.map(|(who, _)| self.point(node(who)).text))
                }
            };
            effects.all[numbers[&node(at)]].stopped.insert(stopped);
        }
        effects
    }
}

/// The number of the instance that an executed instruction belongs to.
pub(crate) fn number_of(instances: &Instances, step: u64) -> Option<u32> {
    let instance = instances.at_step(step)?;
    Some(instances.all.partition_point(|it| it.step < instance.step) as u32)
}
