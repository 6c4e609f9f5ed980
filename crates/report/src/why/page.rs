//! The answer as one page: both sources side by side.

use super::text::text;
use super::words::answer;
use crate::runs::Sources;
use crate::{Excerpt, Mark, beside};
use hydrogen_evidence::why::{Side, Spot, Suspect, Told};

/// So many lines around a suspect are shown, and so many suspects.
const AROUND: u32 = 12;
const MOST: usize = 8;
/// So much of a statement is shown of a run, so that both have rows of one height.
const WIDEST: usize = 60;

/// Both sources side by side, the old one first.
pub fn html(told: &Told<'_>, sources: [&dyn Sources; 2]) -> String {
    let shown: Vec<&Suspect> = told.found.suspects.iter().take(MOST).collect();
    let mut pairs = Vec::new();
    let mut seen: Vec<(String, u32)> = Vec::new();
    for suspect in &shown {
        let spots = [Side::Old, Side::New].map(|side| on(suspect, side));
        let Some(own) = spots[1].or(spots[0]) else { continue };
        if seen.iter().any(|(file, line)| *file == own.file && line.abs_diff(own.line) < AROUND / 2) {
            continue;
        }
        seen.push((own.file.clone(), own.line));
        let [old, new] =
            [0, 1].map(|side| excerpt(sources[side], told, side, spots[side].unwrap_or(own), &shown));
        pairs.push((old, new));
    }
    if !told.found.runs.is_empty() {
        pairs.push((run(told, Side::Old), run(told, Side::New)));
    }
    let summary: Vec<String> = text(told).lines().map(str::to_owned).collect();
    beside(&answer(told), &summary, told.names, &pairs)
}

/// What a run executed where the two begin to differ, statement by statement, with gaps where only the other one has something.
fn run(told: &Told<'_>, side: Side) -> Excerpt {
    let mut lines = Vec::new();
    for row in &told.found.runs {
        let own = if side == Side::Old { &row.old } else { &row.new };
        let Some(spot) = own else {
            lines.push((0, String::new(), Mark::None));
            continue;
        };
        let suspected = told.found.suspects.iter().take(MOST).filter_map(|one| on(one, side));
        let suspected = suspected.into_iter().any(|it| it == spot);
        let mark = match row.differs {
            _ if suspected => Mark::Suspect,
            true => Mark::Relevant,
            false => Mark::Executed,
        };
        let text: String = spot.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let short = match text.char_indices().nth(WIDEST) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text,
        };
        lines.push((spot.line, short, mark));
    }
    Excerpt { file: "the run, from shortly before it differs (+)".into(), lines }
}

/// The statement of a suspect on one side.
fn on(suspect: &Suspect, side: Side) -> Option<&Spot> {
    [Some(&suspect.spot), suspect.counterpart.spot()].into_iter().flatten().find(|spot| spot.side == side)
}

fn excerpt(
    sources: &dyn Sources,
    told: &Told<'_>,
    side: usize,
    around: &Spot,
    suspects: &[&Suspect],
) -> Excerpt {
    let text = sources.lines(&around.file).unwrap_or_default();
    let version = if side == 0 { Side::Old } else { Side::New };
    let suspected = |line: u32| {
        let spots = suspects.iter().filter_map(|suspect| on(suspect, version));
        spots.into_iter().any(|spot| spot.file == around.file && spot.line == line)
    };
    let mark = |line: u32| match told.found.lines[side].get(&(around.file.clone(), line)) {
        _ if suspected(line) => Mark::Suspect,
        Some(true) => Mark::Relevant,
        Some(false) => Mark::Executed,
        None => Mark::None,
    };
    let last = (around.line + AROUND).min(text.len() as u32);
    let one = |line: u32| (line, text.get(line as usize - 1).cloned().unwrap_or_default(), mark(line));
    Excerpt {
        file: around.file.clone(),
        lines: (around.line.saturating_sub(AROUND).max(1)..=last).map(one).collect(),
    }
}
