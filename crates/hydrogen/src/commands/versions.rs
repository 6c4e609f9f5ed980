//! `hydrogen versions`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_history::version::{Source, Version};
use hydrogen_model::{Modeller, State};
use serde_json::json;

pub fn run(context: &Context, names: &[String], format: TableFormat) -> Result<Outcome> {
    let defaults = ["*".to_owned(), "HEAD".to_owned()];
    let versions = match names {
        // A repository without tags still has a HEAD.
        [] => context.resolve(&defaults).or_else(|_| context.resolve(&defaults[1..]))?,
        names => context.resolve(names)?,
    };
    let modeller = context.modeller()?;
    let states = versions.iter().map(|version| Ok((version, modeller.state(version)?)));
    let states: Vec<(&Version, State)> = states.collect::<Result<_>>()?;
    drop::<Modeller>(modeller);
    context.output(&match format {
        TableFormat::Json => as_json(&states),
        TableFormat::Text => as_text(&states),
    })?;
    Ok(Outcome::Done)
}

fn as_text(states: &[(&Version, State)]) -> String {
    let mut rows = vec![["version", "is", "date", "built by", "model", "about"].map(str::to_owned).to_vec()];
    for (version, state) in states {
        let (is, date, about) = describe(version);
        let model = match &state.cached {
            None => "not yet".to_owned(),
            Some(record) if record.failed == 0 => format!("{} units", record.units),
            Some(record) => format!("{} units, {} failed", record.units, record.failed),
        };
        rows.push(vec![version.name.clone(), is, date, state.how.clone(), model, about]);
    }
    output::table(&rows)
}

/// What the version is, its date and its subject.
fn describe(version: &Version) -> (String, String, String) {
    match &version.source {
        Source::Commit(commit) => {
            let short = commit.commit.chars().take(10).collect();
            (short, date(commit.time), commit.summary.clone())
        }
        Source::Directory(path) => ("folder".into(), String::new(), path.display().to_string()),
        Source::Bitcode(path) => ("bitcode".into(), String::new(), path.display().to_string()),
    }
}

fn as_json(states: &[(&Version, State)]) -> String {
    let version = |(version, state): &(&Version, State)| {
        let mut value = json!({ "name": version.name, "built_by": state.how });
        match &version.source {
            Source::Commit(commit) => {
                value["commit"] = commit.commit.clone().into();
                value["tree"] = commit.tree.clone().into();
                value["parents"] = commit.parents.clone().into();
                value["author"] = commit.author.clone().into();
                value["date"] = date(commit.time).into();
                value["summary"] = commit.summary.clone().into();
            }
            Source::Directory(path) | Source::Bitcode(path) => {
                value["path"] = path.display().to_string().into();
            }
        }
        value["cached"] = match &state.cached {
            None => serde_json::Value::Null,
            Some(record) => json!({ "units": record.units, "failed": record.failed }),
        };
        value
    };
    let versions: Vec<_> = states.iter().map(version).collect();
    output::json(&json!({ "versions": versions }))
}

/// The day of a time in seconds since 1970, in the proleptic Gregorian calendar.
fn date(seconds: i64) -> String {
    // Days since 0000-03-01, so that leap days come last in their year.
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_709_164_800), "2024-02-29");
        assert_eq!(date(-86_400), "1969-12-31");
        assert_eq!(date(4_107_542_400), "2100-03-01");
    }
}
