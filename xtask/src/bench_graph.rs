//! Building graphs against compiling the same versions, adding a version, memory over versions, and long histories against
//! git's own log.

use crate::corpora;
use crate::measure::{self, fastest};
use crate::series::{self, git};
use crate::table;
use anyhow::{Context, Result, ensure};
use hydrogen_frontend::Pool;
use hydrogen_graph::{Graph, VersionInfo};
use hydrogen_history::cache::Cache;
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::version::{Version, resolve};
use hydrogen_model::{Modeller, Quiet, Settings};
use hydrogen_series::{Listener, Options, build};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const REPEATED: usize = 5;

pub fn run(history: Option<&Path>) -> Result<()> {
    lua()?;
    if let Some(repository) = history {
        long_history(repository)?;
    }
    Ok(())
}

struct Nobody;

impl Listener for Nobody {
    fn version(&self, _: &VersionInfo) {}
    fn left_out(&self, version: &str, why: &str) {
        eprintln!("{version}: {why}");
    }
}

/// The Lua series: compiled once by clang, built into a graph from its models, and one version added.
fn lua() -> Result<()> {
    let series = series::known().into_iter().find(|series| series.name == "lua").context("lua")?;
    let original = series.repository()?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("lua");
    git(folder.path(), &["clone", "-q", &original.display().to_string(), "lua"])?;
    let tags: Vec<String> = (1..=12).map(|number| format!("v{number:02}")).collect();
    let clang = compile_versions(folder.path(), &root, &tags)?;
    let path = root.join("lstring.c");
    let text = std::fs::read_to_string(&path)?;
    let changed = text.replacen(
        "unsigned int h = seed ^ cast_uint(l);",
        "unsigned int h = seed ^ cast_uint(l + 1);",
        1,
    );
    ensure!(changed != text, "the function to change is not there");
    std::fs::write(&path, changed)?;
    git(&root, &["commit", "-q", "-a", "-m", "one function"])?;
    git(&root, &["tag", "v13"])?;

    let modeller = modeller(folder.path())?;
    let names = |range: std::ops::RangeInclusive<usize>| -> Vec<String> {
        range.map(|n| format!("v{n:02}")).collect()
    };
    let versions = |names: &[String]| -> Result<Vec<Version>> { Ok(resolve(names, &root)?) };
    let all = versions(&names(1..=13))?;
    for model in modeller.models(&all, false) {
        model?;
    }
    let afresh = || Options { afresh: true, ..Options::default() };
    let twelve = versions(&names(1..=12))?;
    let (building, graph) = fastest(REPEATED, || Ok(build(&modeller, twelve.clone(), afresh(), &Nobody)?))?;
    let (whole, _) = fastest(REPEATED, || Ok(build(&modeller, all.clone(), afresh(), &Nobody)?))?;
    let last = versions(&names(13..=13))?;
    let (adding, grown) = fastest(REPEATED, || {
        let base = Some(graph.clone());
        Ok(build(&modeller, last.clone(), Options { base, ..afresh() }, &Nobody)?)
    })?;
    let (cloning, _) = fastest(REPEATED, || Ok(graph.clone()))?;
    let adding = adding.saturating_sub(cloning);
    let sizes = graph.sizes();
    let percent = |a: Duration, b: Duration| format!("{:.1} %", 100.0 * a.as_secs_f64() / b.as_secs_f64());
    table::print(
        "graph",
        &["what", "measured", "limit"],
        &[
            row("clang -O0 -g -c, 12 versions", format!("{:.2} s", clang.as_secs_f64()), ""),
            row("graph of 12 from models", format!("{:.0} ms", 1e3 * building.as_secs_f64()), ""),
            row("one version added", format!("{:.1} ms", 1e3 * adding.as_secs_f64()), ""),
            row("graph of 12 from models / clang", percent(building, clang), "10 %"),
            row("one version added / all built", percent(adding, whole), "2 %"),
            row(
                "union nodes / largest version",
                format!("{:.2}", ratio(sizes.nodes, sizes.largest_nodes)),
                "1.30",
            ),
            row("nodes added by one function", (grown.sizes().nodes - sizes.nodes).to_string(), ""),
        ],
    );
    let mut rows = Vec::new();
    for count in [1, 2, 4, 8, 12] {
        let graph = build(&modeller, versions(&names(1..=count))?, afresh(), &Nobody)?;
        rows.push(memory_row(count, &graph));
    }
    table::print("graph memory, Lua", &["versions", "sum of nodes", "union nodes", "file"], &rows);
    Ok(())
}

fn row(what: &str, measured: String, limit: &str) -> Vec<String> {
    vec![what.to_owned(), measured, limit.to_owned()]
}

fn ratio(a: usize, b: usize) -> f64 {
    a as f64 / b as f64
}

fn memory_row(count: usize, graph: &Graph) -> Vec<String> {
    let sizes = graph.sizes();
    let bytes = format!("{:.0} KiB", graph.save().len() as f64 / 1024.0);
    vec![count.to_string(), sizes.sum_nodes.to_string(), sizes.nodes.to_string(), bytes]
}

/// Every file of every version, once, as many at a time as there are cores.
fn compile_versions(folder: &Path, root: &Path, tags: &[String]) -> Result<Duration> {
    let mut files = Vec::new();
    for tag in tags {
        let to = folder.join(format!("compile-{tag}"));
        std::fs::create_dir(&to)?;
        git(root, &["--work-tree", &to.display().to_string(), "checkout", "-q", "-f", tag, "--", "."])?;
        for entry in std::fs::read_dir(&to)?.flatten() {
            files.extend(
                Some(entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "c")),
            );
        }
    }
    git(root, &["reset", "-q", "--hard", "HEAD"])?;
    Ok(measure::compile(&files, |file| {
        let mut clang = Command::new("clang-19");
        clang.args(["-O0", "-g", "-c", "-w", "-DLUA_USE_POSIX", "-o", "/dev/null"]).arg(file);
        clang.stderr(Stdio::null());
        clang
    }))
}

fn modeller(folder: &Path) -> Result<Modeller> {
    let cache = Arc::new(Cache::open(&folder.join("cache"), 4 << 30)?);
    let checkouts = Checkouts::open(&folder.join("checkouts"))?;
    let settings = Settings {
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        lower: Pool::default_program(),
        wrapper: corpora::target().join("release/hydrogen-cc"),
        compiler: "clang-19".into(),
        build_time: Some(Duration::from_secs(600)),
        user: None,
        extra_arguments: Vec::new(),
        retry: false,
        cancel: Arc::new(AtomicBool::new(false)),
        progress: Arc::new(Quiet),
    };
    Ok(Modeller::new(Arc::default(), checkouts, cache, settings)?)
}

/// The last 1,000 commits of a repository in build-free mode, against git's own log of the same commits.
fn long_history(repository: &Path) -> Result<()> {
    let list = Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(repository).output()?;
    let commits: usize = String::from_utf8(list.stdout)?.trim().parse().context("is this a repository?")?;
    let count = commits.min(1000);
    let folder = tempfile::tempdir()?;
    let newest = Command::new("git")
        .args(["rev-list", &format!("-{count}"), "HEAD"])
        .current_dir(repository)
        .output()?;
    let newest = String::from_utf8(newest.stdout)?;
    let names: Vec<&str> = newest.lines().collect();
    let first = names.last().context("no commits")?;
    let range = if count == commits { format!("{first}..HEAD") } else { format!("{first}^..HEAD") };
    let (log, _) = fastest(REPEATED, || {
        let log = ["log", "-p", "-U0", &format!("-{count}"), "HEAD"];
        Ok(Command::new("git").args(log).current_dir(repository).stdout(Stdio::null()).status()?)
    })?;
    let cache = folder.path().join("cache");
    let graph = |range: &str| -> Result<serde_json::Value> {
        drop(std::fs::remove_dir_all(&cache));
        let output = folder.path().join("graph.hyg");
        let status = Command::new(corpora::target().join("release/hydrogen"))
            .args(["--quiet", "graph", "--syntax", range, "--format", "hyg", "--output"])
            .arg(&output)
            .current_dir(repository)
            .env("HYDROGEN_CACHE", &cache)
            .status()?;
        ensure!(status.success(), "hydrogen graph --syntax {range} failed");
        Ok(serde_json::json!(std::fs::metadata(output)?.len()))
    };
    let (building, _) = fastest(REPEATED, || graph(&range))?;
    let ratio = building.as_secs_f64() / log.as_secs_f64();
    table::print(
        "graph, long history",
        &["what", "measured", "limit"],
        &[
            row("commits", count.to_string(), ""),
            row("git log -p -U0", format!("{:.2} s", log.as_secs_f64()), ""),
            row("graph --syntax", format!("{:.2} s", building.as_secs_f64()), ""),
            row("graph / git log", format!("{ratio:.1}"), "5.0"),
        ],
    );
    let mut rows = Vec::new();
    let mut size = 1;
    while size <= count {
        let oldest = names.get(size - 1).context("a commit")?;
        let range = if size == commits { format!("{oldest}..HEAD") } else { format!("{oldest}^..HEAD") };
        let output = Command::new("time")
            .args(["-f", "%M"])
            .arg(corpora::target().join("release/hydrogen"))
            .args(["--quiet", "graph", "--syntax", &range, "--format", "hyg", "--output"])
            .arg(folder.path().join("size.hyg"))
            .current_dir(repository)
            .env("HYDROGEN_CACHE", folder.path().join(format!("cache-{size}")))
            .output()?;
        let peak = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("?").to_owned();
        let peak =
            peak.trim().parse::<f64>().map_or(peak, |kilobytes| format!("{:.0} MiB", kilobytes / 1024.0));
        if output.status.success() {
            let graph = Graph::load(&std::fs::read(folder.path().join("size.hyg"))?)?;
            let mut row = memory_row(size, &graph);
            row.push(peak);
            rows.push(row);
        }
        size *= 2;
    }
    table::print(
        "graph memory, long history",
        &["versions", "sum of nodes", "union nodes", "file", "peak"],
        &rows,
    );
    Ok(())
}
