//! Suspects: statements with all that speaks against them, in the order in which they should be looked at.

use crate::changed::Changed;
use crate::decompose::Deviation;
use crate::did::Dids;
use crate::origin::Origins;
use crate::spot::{counterpart, spot};
use hydrogen_align::{IndexId, Level};
use hydrogen_evidence::Input;
use hydrogen_evidence::why::{Alternate, Change, Counterpart, Did, Side, Spot, Suspect};
use hydrogen_explore::show;
use hydrogen_pair::{Node, Pair, Ran, Statement};
use std::collections::BTreeSet;

/// So many executed statements before the end of a function are looked at for the one that returns.
const MOST_BEFORE: usize = 10_000;

/// What is compared to put suspects in order: less comes first (A-10, with the origin of wrong values before).
fn order(suspect: &Suspect) -> impl Ord + use<> {
    let class = match (suspect.origin.is_some() || suspect.first, suspect.changed, suspect.passes()) {
        (true, true, true) => 0,
        (_, true, true) => 1,
        (true, true, false) => 2,
        (_, false, true) => 3,
        (true, false, false) => 4,
        (false, true, false) => 5,
        (false, false, false) => 6,
    };
    // What decides as before is behind everything that may be wrong.
    let class = if suspect.did == Did::Alike && suspect.alternates.is_empty() { class.max(5) } else { class };
    let best = suspect.alternates.first();
    (
        class,
        suspect.did,
        suspect.origin.unwrap_or(usize::MAX),
        suspect.spot.side == Side::Old,
        best.map_or(usize::MAX, |one| one.changes.len()),
        std::cmp::Reverse(best.map_or(0, |one| one.step)),
        suspect.distance.unwrap_or(u64::MAX),
        suspect.spot.file.clone(),
        suspect.spot.line,
    )
}

/// The statement of the user that an executed instruction belongs to, and the library function that it is in.
pub(crate) fn users_node(pair: &Pair<'_>, ran: &Ran, step: u64) -> Option<(Node, Option<String>)> {
    let position = ran.instances.position(step)? as usize;
    let instance = &ran.instances.all[position];
    if let Statement::Graph(_) = pair.nodes.statement(instance.node) {
        return Some((returning(pair, ran, position).unwrap_or(instance.node), None));
    }
    let levels = pair.indices.levels(instance.index);
    let mut inside = None;
    if let Statement::Elsewhere(_, name, _) = pair.nodes.statement(instance.node) {
        inside = Some(name.to_string());
    }
    for level in levels.iter().rev() {
        let Level::Call { at, .. } = level else { continue };
        match pair.nodes.statement(*at) {
            Statement::Graph(_) => return Some((*at, inside)),
            Statement::Elsewhere(_, name, _) => inside = Some(name.to_string()),
        }
    }
    None
}

/// The end of a function is no statement: the one that led there stands for it.
fn returning(pair: &Pair<'_>, ran: &Ran, end: usize) -> Option<Node> {
    let all = &ran.instances.all;
    if pair.nodes.line(ran.program, all[end].node).is_some() {
        return None;
    }
    let own = |index: IndexId| {
        let mut at = index;
        while at != all[end].index {
            match pair.indices.last(at) {
                Some((_, Level::Call { .. })) | None => return false,
                Some((above, _)) => at = above,
            }
        }
        true
    };
    let before = all[..end].iter().rev().take(MOST_BEFORE);
    let mut lines = before.filter(|it| pair.nodes.line(ran.program, it.node).is_some());
    lines.find(|it| own(it.index)).map(|it| it.node)
}

/// A deviation as something to show.
pub(crate) fn alternate(
    pair: &mut Pair<'_>,
    ran: &Ran,
    deviation: Deviation,
    near: &Input,
    validated: crate::validate::Validated,
    predicate: Option<String>,
) -> Option<(Node, Alternate)> {
    let Deviation { side, conjunct, input } = deviation;
    let (step, site) =
        validated.turned.map_or((conjunct.instance, conjunct.site), |branch| (branch.step, branch.site));
    let (node, inside) = users_node(pair, ran, step)?;
    let spot = spot(&pair.nodes, side, node)?;
    let own = ran.instances.all.iter().filter(|one| one.node == node && one.step <= step);
    let about = pair.pool.variables(&[conjunct.term]);
    let about = about.into_iter().filter_map(|one| pair.pool.as_var(one).map(str::to_owned)).collect();
    let alternate = Alternate {
        about,
        predicate,
        side,
        spot,
        inside,
        nth: own.count().max(1),
        condition: show(&mut pair.pool, conjunct.term),
        changes: changes(near, &input),
        input,
        outcomes: validated.outcomes,
        passes: validated.passes,
        invalid: validated.invalid,
        step,
        site: (site.function.0, site.pc),
    };
    Some((node, alternate))
}

/// What two inputs do not share; bytes that one of them lacks are empty.
pub(crate) fn changes(from: &Input, to: &Input) -> Vec<Change> {
    let (mut found, mut whole) = (Vec::new(), Vec::new());
    let mut bytes = |name: &str, from: &[u8], to: &[u8]| {
        for at in 0..from.len().max(to.len()) {
            let one = |bytes: &[u8]| bytes.get(at).map(|byte| vec![*byte]).unwrap_or_default();
            if one(from) != one(to) {
                found.push(Change { name: format!("{name}[{at}]"), from: one(from), to: one(to) });
            }
        }
    };
    bytes("stdin", &from.stdin, &to.stdin);
    for (index, value) in &to.args {
        let before = from.args.get(index).map_or(&[][..], Vec::as_slice);
        // A number changes as a whole.
        match is_number(before) && is_number(value) {
            true => whole.push((format!("arg:{index}"), before.to_vec(), value.clone())),
            false => bytes(&format!("arg:{index}"), before, value),
        }
    }
    for (name, value) in &to.files {
        bytes(&format!("file:{name}"), from.files.get(name).map_or(&[], Vec::as_slice), value);
    }
    for (name, value) in &to.environment {
        bytes(&format!("env:{name}"), from.environment.get(name).map_or(&[], Vec::as_slice), value);
    }
    for (name, value) in &to.named {
        let old = from.named.get(name).cloned().unwrap_or_else(|| vec![0; value.len()]);
        whole.push((name.to_string(), old, value.clone()));
    }
    let differing = whole.into_iter().filter(|(_, from, to)| from != to);
    found.extend(differing.map(|(name, from, to)| Change { name, from, to }));
    found
}

fn is_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// All evidence by statement, in order.
pub(crate) fn suspects(
    pair: &Pair<'_>,
    changed: &Changed,
    dids: &Dids,
    origins: &Origins,
    variables: Vec<Suspect>,
    alternates: Vec<(Node, Alternate)>,
    implied: &BTreeSet<(Side, Node)>,
) -> Vec<Suspect> {
    let mut all: Vec<Suspect> = variables;
    for (node, alternate) in alternates {
        if let Some(suspect) = entry(pair, changed, dids, &mut all, alternate.side, node) {
            suspect.alternates.push(alternate);
        }
    }
    for (number, origin) in origins.near.iter().enumerate() {
        if let Some(suspect) = entry(pair, changed, dids, &mut all, origin.side, origin.node) {
            suspect.origin = Some(suspect.origin.map_or(number, |known| known.min(number)));
        }
    }
    for origin in &origins.all {
        if let Some(suspect) = entry(pair, changed, dids, &mut all, origin.side, origin.node) {
            let known = suspect.distance.unwrap_or(u64::MAX);
            suspect.distance =
                Some(known.min(origins.steps[origin.side.number()].saturating_sub(origin.step)));
        }
    }
    if origins.near.is_empty() {
        for (side, node) in [Side::New, Side::Old].into_iter().zip([origins.first[1], origins.first[0]]) {
            if let Some(suspect) = node.and_then(|node| entry(pair, changed, dids, &mut all, side, node)) {
                suspect.first = true;
            }
        }
    }
    // A changed branch that goes the same way for every such input is no reason, where another one is.
    if all.iter().any(|one| one.changed && one.passes()) {
        let innocent: Vec<Spot> =
            implied.iter().filter_map(|(side, node)| spot(&pair.nodes, *side, *node)).collect();
        let is_innocent = |one: &Suspect| {
            let known = |spot: &Spot| innocent.iter().any(|it| at_same_line(it, spot));
            one.alternates.is_empty() && known(&one.spot)
        };
        all.retain(|one| !is_innocent(one));
    }
    for suspect in &mut all {
        suspect.alternates.sort_by_key(|one| {
            (
                one.passes != Some(true),
                one.side != suspect.spot.side,
                one.changes.len(),
                std::cmp::Reverse(one.step),
            )
        });
    }
    all.sort_by_cached_key(order);
    all
}

fn at_same_line(one: &Spot, other: &Spot) -> bool {
    (one.side, &one.file, one.line) == (other.side, &other.file, other.line)
}

/// The suspect of a statement: statements of a line are one, and so are those of both versions that stand for each other.
fn entry<'s>(
    pair: &Pair<'_>,
    changed: &Changed,
    dids: &Dids,
    all: &'s mut Vec<Suspect>,
    side: Side,
    node: Node,
) -> Option<&'s mut Suspect> {
    let own = spot(&pair.nodes, side, node)?;
    let there = counterpart(&pair.nodes, changed, side, node);
    let known = |one: &Suspect| {
        let others = one.counterpart.spot();
        at_same_line(&one.spot, &own)
            || others.is_some_and(|it| at_same_line(it, &own))
            || there.spot().is_some_and(|it| at_same_line(it, &one.spot))
    };
    let at = match all.iter().position(known) {
        Some(at) => at,
        None => {
            let (own, there) = match (side, &there) {
                // People work on the new version: its statement stands for both.
                (Side::Old, Counterpart::Other(new)) => (new.clone(), Counterpart::Other(own)),
                (Side::Old, Counterpart::Redefined(new)) => (new.clone(), Counterpart::Redefined(own)),
                (Side::Old, Counterpart::Same(new)) => (new.clone(), Counterpart::Same(own)),
                (Side::Old, Counterpart::Moved(new)) => (new.clone(), Counterpart::Moved(own)),
                _ => (own, there),
            };
            all.push(Suspect {
                spot: own,
                counterpart: there,
                changed: false,
                origin: None,
                first: false,
                did: Did::Unknown,
                distance: None,
                depends: Vec::new(),
                alternates: Vec::new(),
            });
            all.len() - 1
        }
    };
    let suspect = &mut all[at];
    suspect.changed |= changed.has(node);
    // The parts of a condition are one line, and one that has a counterpart speaks for those without: it was asked where all of them led.
    suspect.did = match (suspect.did, dids.of(node)) {
        (Did::Unknown, Some(did)) => did,
        (known, did) => did.map_or(known, |did| did.min(known)),
    };
    Some(suspect)
}
