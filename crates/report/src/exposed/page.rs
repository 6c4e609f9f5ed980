//! The answer as one page: both sources side by side, with the way of each difference.

use super::text::text;
use crate::runs::Sources;
use crate::{Excerpt, Mark, beside_with};
use hydrogen_evidence::exposed::{Exposed, Point};

/// So many lines around a statement are shown.
const AROUND: u32 = 10;

/// Both sources side by side, the old one first.
pub fn html(report: &Exposed<'_>, sources: [&dyn Sources; 2]) -> String {
    let points: Vec<&Point> = report.findings.iter().flat_map(|finding| &finding.way.points).collect();
    let mut pairs = Vec::new();
    let mut seen: Vec<(String, u32)> = Vec::new();
    for point in &points {
        let Some(own) = point.lines[1].clone().or_else(|| point.lines[0].clone()) else { continue };
        if seen.iter().any(|(file, line)| *file == own.0 && line.abs_diff(own.1) < AROUND) {
            continue;
        }
        let excerpts = [0, 1].map(|side| {
            // Where a version does not have the statement, its lines are as far behind those of another one as here.
            let place = point.lines[side].clone().unwrap_or_else(|| beside_it(&points, side, &own));
            excerpt(sources[side], side, &place, &points)
        });
        seen.push(own);
        let [old, new] = excerpts;
        pairs.push((old, new));
    }
    let summary: Vec<String> = text(report).lines().map(str::to_owned).collect();
    let title = format!("{} → {}", report.names[0], report.names[1]);
    let marks = ["changed, and on the way of a difference", "on the way of a difference"];
    beside_with(marks, &title, &summary, [&report.names[0], &report.names[1]], &pairs)
}

/// The place in one version that goes with a place of the other one: moved as the nearest statement that both have.
fn beside_it(points: &[&Point], side: usize, own: &(String, u32)) -> (String, u32) {
    let both =
        points.iter().filter_map(|point| point.lines[side].as_ref().zip(point.lines[1 - side].as_ref()));
    let same = both.filter(|(_, other)| other.0 == own.0);
    match same.min_by_key(|(_, other)| other.1.abs_diff(own.1)) {
        Some((here, other)) => {
            let line = i64::from(own.1) + i64::from(here.1) - i64::from(other.1);
            (here.0.clone(), u32::try_from(line).unwrap_or(1))
        }
        None => own.clone(),
    }
}

/// The lines around a place: changed statements on the way of a difference, other ones on it, and the rest.
fn excerpt(sources: &dyn Sources, side: usize, place: &(String, u32), points: &[&Point]) -> Excerpt {
    let (file, line) = place;
    let text = sources.lines(file).unwrap_or_default();
    let mark = |line: u32| {
        let here = |point: &&&Point| point.lines[side].as_ref() == Some(&(file.clone(), line));
        let mut all = points.iter().filter(here).peekable();
        match all.peek().is_some() {
            true if all.any(|point| point.changed) => Mark::Suspect,
            true => Mark::Relevant,
            false => Mark::None,
        }
    };
    let last = line.saturating_add(AROUND).min(text.len() as u32);
    let one = |line: u32| (line, text.get(line as usize - 1).cloned().unwrap_or_default(), mark(line));
    Excerpt { file: file.clone(), lines: (line.saturating_sub(AROUND).max(1)..=last).map(one).collect() }
}
