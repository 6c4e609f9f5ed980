//! Loops that stay closed: what a loop leaves in a variable is an unknown function of what those variables begin with on which it depends.
//!
//! Two loops are the same function if they have the same condition and take the variable and all that it depends on through the same steps, whatever else
//! they do (isomorphic slices). So two loops that became one, one that became two, and loops in another order need no induction.
//!
//! A loop is read without its faults first: as if every operation gave its value. It leaves when its condition says so, and it has faulted if
//! in some iteration before that an operation did: another unknown function of the same kind, one for each operation. Up to the first fault
//! that is the run itself. What happens in the last, unfinished iteration is evaluated like all other code.

use crate::{
    Obstacle,
    calls::Question,
    code::{Code, Var},
    segment::{Evaluation, FaultAt, Target, Walk},
    slices::{Looped, Slices},
    state::{State, Value, Way},
};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeSet;

/// Tries to find out which pointers stay inside of their object.
const MOST_TRIES: usize = 4;

/// A place of a state that a loop may change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Value(Var),
    Public,
    Object(usize),
}

impl Evaluation<'_, '_, '_> {
    /// What follows a loop: where it leads, with the state that it leaves behind.
    pub fn closed_loop(&mut self, head: usize) -> Result<Vec<(Target, Way, State)>, Obstacle> {
        if self.context.concrete {
            return Err(Obstacle::new("a loop that stays closed is not run"));
        }
        let nodes = natural_loop(self.runner.code, head);
        let mut forgotten: BTreeSet<Var> = BTreeSet::new();
        for _ in 0..MOST_TRIES {
            let (symbolic, places) = self.any_state(head, &forgotten)?;
            let walk = self.iteration(head, &nodes, symbolic.clone())?;
            let Some((way, next)) = walk.heads.get(&head) else { return self.left(walk) };
            if [next.world, next.epoch] != [symbolic.world, symbolic.epoch]
                || !walk.segment.required.is_empty()
            {
                return Err(Obstacle::new("a loop that calls what may do anything"));
            }
            let unsure = moved_elsewhere(&symbolic, next);
            if !unsure.is_subset(&forgotten) {
                forgotten.extend(unsure);
                continue;
            }
            return self.summed_up(head, &nodes, &places, &symbolic, (way, next), &walk.segment.faults);
        }
        Err(Obstacle::new("pointers in a loop that lead into several objects"))
    }

    fn iteration(&mut self, head: usize, nodes: &BTreeSet<usize>, state: State) -> Result<Walk, Obstacle> {
        let way = Way { branches: Vec::new(), sound: self.context.pool.bool(true) };
        self.runner.walk(self.context, head, way, state, None, Some((head, nodes)))
    }

    /// The state at the head in an iteration of which nothing is known.
    fn any_state(&mut self, head: usize, forgotten: &BTreeSet<Var>) -> Result<(State, Vec<Place>), Obstacle> {
        let mut state = self.state.clone();
        let mut places = Vec::new();
        let live = self.runner.code.live(head);
        state.values.retain(|var, _| live.contains(var));
        for (var, value) in &mut state.values {
            let Value::Bits(term, origin) = value else {
                return Err(Obstacle::new("a structure as a value at the head of a loop"));
            };
            let sort = self.context.pool.sort(*term);
            let origin = origin.filter(|_| !forgotten.contains(var));
            *value = Value::Bits(self.context.pool.fresh("turn", sort), origin);
            places.push(Place::Value(*var));
        }
        state.public = self.context.pool.fresh("turn", Sort::MEMORY);
        places.push(Place::Public);
        for (at, object) in state.objects.iter_mut().enumerate() {
            *object = self.context.pool.fresh("turn", Sort::MEMORY);
            places.push(Place::Object(at));
        }
        Ok((state, places))
    }

    /// A loop that no path goes round.
    fn left(&mut self, _: Walk) -> Result<Vec<(Target, Way, State)>, Obstacle> {
        Err(Obstacle::new("a loop that is none"))
    }

    fn summed_up(
        &mut self,
        head: usize,
        nodes: &BTreeSet<usize>,
        places: &[Place],
        symbolic: &State,
        (way, next): (&Way, &State),
        faults: &[FaultAt],
    ) -> Result<Vec<(Target, Way, State)>, Obstacle> {
        let goes_on = self.context.pool.and_all(way.branches.iter().copied());
        let mut variables = Vec::new();
        for &place in places {
            let (Some(symbol), Some(step), Some(first)) =
                (at(symbolic, place), at(next, place), at(&self.state, place))
            else {
                return Err(Obstacle::new("a variable that a loop does not always write"));
            };
            if self.context.pool.sort(symbol) != self.context.pool.sort(step) {
                return Err(Obstacle::new("a variable that a loop makes another"));
            }
            variables.push(Looped { symbol, step, first });
        }
        let slices = Slices::new(self.context, goes_on, variables)?;
        let mut last = symbolic.clone();
        for (n, &place) in places.iter().enumerate() {
            let value = slices.last(self.context, n)?;
            put(&mut last, place, value);
        }
        let mut earlier: Vec<(FaultAt, Term)> = Vec::new();
        for fault in faults {
            let happened = slices.ever(self.context, fault.bare)?;
            if earlier.iter().all(|(_, other)| *other != happened) {
                earlier.push((*fault, happened));
            }
        }
        for (fault, happened) in earlier {
            self.fault(fault.class, happened);
        }
        // The last time around, with what is left then.
        let walk = self.iteration(head, nodes, last)?;
        let again = walk.heads.get(&head).map(|(way, _)| way.clone());
        for fault in &walk.segment.faults {
            self.fault(fault.class, fault.bare);
        }
        for one in &walk.segment.assumptions {
            self.assume(*one);
        }
        if let Some(again) = again {
            let again = self.context.pool.and_all(again.branches.iter().copied());
            let over = self.context.pool.not(again);
            self.assume(over);
        }
        let outside = walk.outside.into_iter().map(|(node, one)| (Target::Head(node), one));
        let returns = walk.returns.into_iter().map(|one| (Target::Return, one));
        let stops = walk.stops.into_iter().map(|one| (Target::Stop, one));
        let mut found = Vec::new();
        for (target, (way, state)) in outside.chain(returns).chain(stops) {
            let condition = self.context.pool.and_all(way.branches.iter().copied());
            let mut whole = self.way.clone();
            match self.context.pool.as_bool(condition) {
                Some(false) => continue,
                Some(true) => {}
                None => whole.branches.push(condition),
            }
            found.push((target, whole, state));
        }
        Ok(found)
    }
}

/// The nodes of a loop: those from which its head is reached again without leaving through it.
pub fn natural_loop(code: &Code, head: usize) -> BTreeSet<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); code.nodes.len()];
    for node in (0..code.nodes.len()).filter(|&node| code.position[node] != usize::MAX) {
        code.successors(node).into_iter().for_each(|to| before[to].push(node));
    }
    let mut nodes = BTreeSet::from([head]);
    let back = |node: &usize| code.position[*node] >= code.position[head];
    let mut open: Vec<usize> = before[head].iter().copied().filter(back).collect();
    while let Some(node) = open.pop() {
        if nodes.insert(node) {
            open.extend(before[node].iter().copied());
        }
    }
    nodes
}

/// Pointers of which it is no longer known that they lead into the object of the beginning.
fn moved_elsewhere(before: &State, after: &State) -> BTreeSet<Var> {
    let origin = |state: &State, var: &Var| match state.values.get(var) {
        Some(Value::Bits(_, origin)) => Some(*origin),
        _ => None,
    };
    let vars = before.values.keys().filter(|var| origin(before, var) != origin(after, var));
    vars.filter(|var| !matches!(origin(before, var), Some(None))).copied().collect()
}

fn at(state: &State, place: Place) -> Option<Term> {
    match place {
        Place::Value(var) => crate::variables::number(state, var),
        Place::Public => Some(state.public),
        Place::Object(at) => state.objects.get(at).copied(),
    }
}

fn put(state: &mut State, place: Place, term: Term) {
    match place {
        Place::Value(var) => {
            if let Some(Value::Bits(value, _)) = state.values.get_mut(&var) {
                *value = term;
            }
        }
        Place::Public => state.public = term,
        Place::Object(at) => state.objects[at] = term,
    }
}

/// What a loop leaves behind, or whether something ever held in it, as a question that equal loops share.
pub fn question(name: String, inputs: &[(Term, Sort)], result: Sort) -> Question {
    let (mut arguments, mut memory) = (Vec::new(), Vec::new());
    for (at, &(term, sort)) in (0u64..).zip(inputs) {
        match sort {
            Sort::Array { .. } => memory.push((at, term)),
            _ => arguments.push(term),
        }
    }
    Question { name, arguments, memory, results: vec![result] }
}
