//! Since which commit the suspects are there.

use crate::commands::program::Two;
use anyhow::Result;
use hydrogen_history::version::Source;
use hydrogen_history::{Objects, Repository};
use hydrogen_series::{Origins, Sought, Sure};
use hydrogen_why::{Explanation, Side, Spot};

/// So many suspects are looked up.
const MOST: usize = 5;

/// By suspect, the commit that wrote its statement; nothing where the version is no commit or it is not found.
pub fn written(two: &Two, found: &Explanation) -> Vec<Option<String>> {
    let one = |spot: &Spot| by(two, spot).unwrap_or_default();
    found.suspects.iter().take(MOST).map(|suspect| one(&suspect.spot)).collect()
}

fn by(two: &Two, spot: &Spot) -> Result<Option<String>> {
    let side = match spot.side {
        Side::Old => &two.old,
        Side::New => &two.new,
    };
    let Some(Source::Commit(commit)) = side.loaded.version().map(|version| &version.source) else {
        return Ok(None);
    };
    let objects = Objects::new(&Repository::open(&commit.repository)?);
    let sought =
        Sought { file: spot.file.clone(), line: spot.line, text: spot.text.clone(), function: false };
    let Some(origin) = Origins::new(&objects).of(&commit.commit, sought)? else { return Ok(None) };
    let older = match origin.sure {
        Sure::Yes => "",
        Sure::Cut | Sure::Unread => ", or before",
    };
    let commit = origin.commit;
    Ok(Some(format!(
        "written in {} of {} by {}: {}{older}",
        &commit.commit[..commit.commit.len().min(10)],
        commit.date(),
        commit.author,
        commit.summary
    )))
}
