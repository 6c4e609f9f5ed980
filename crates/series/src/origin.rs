//! Who wrote a statement or a function, by the whole history before a commit.
//!
//! The search goes back from the commit. Where a parent has the same file, nothing is read. Where the file differs, both sides
//! are read from their source and put into a graph of two versions, so what counts as the same statement is what counts
//! everywhere. The first parent that has it is followed; a commit none of whose parents has it wrote it. A statement that went
//! from one place to another was not written there, so it is followed too, as far as it says enough to be recognised.

use hydrogen_graph::{ChainId, Graph, NodeId, VersionId, VersionInfo, VersionInput};
use hydrogen_history::tree::{Change, Error, FileEntry};
use hydrogen_history::version::CommitInfo;
use hydrogen_history::{Objects, Oid};
use hydrogen_ir::Module;
use std::collections::HashMap;
use std::sync::Arc;

/// What is looked for, as a commit has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// Its file.
    pub file: String,
    /// The line it begins on: a statement's, or a function's.
    pub line: u32,
    /// A statement's text, or a function's name.
    pub text: String,
    /// Whether it is a function.
    pub function: bool,
}

/// Where something comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The commit that wrote it.
    pub commit: CommitInfo,
    /// What it was there.
    pub sought: Sought,
    /// Whether it may be older.
    pub sure: Sure,
}

/// How sure it is that a commit wrote something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// It did.
    Yes,
    /// It did or one before it: the commit's parents are missing, as in a shallow clone.
    Cut,
    /// It did or one before it: there the file cannot be read as it is written, and the function is not seen.
    Unread,
}

/// More files than this in one step are not searched for where something moved from.
const MANY: usize = 400;
/// So many files that were read are remembered at most.
const KEPT: usize = 1000;
/// So many commits whose file cannot be read are looked past.
const FURTHEST: usize = 200;

/// A file that was read.
#[derive(Clone)]
struct File {
    module: Arc<Module>,
    /// Whether all of it could be read as written.
    whole: bool,
}

/// Looks up origins in one repository. Commits and files that were read are remembered.
pub struct Origins<'a> {
    objects: &'a Objects,
    commits: HashMap<String, CommitInfo>,
    files: HashMap<(Oid, String), File>,
}

impl<'a> Origins<'a> {
    /// Nothing is read yet.
    pub fn new(objects: &'a Objects) -> Self {
        Self { objects, commits: HashMap::new(), files: HashMap::new() }
    }

    /// The commit that wrote what stands in `commit`; nothing if it does not stand there as far as its source can be read.
    pub fn of(&mut self, commit: &str, sought: Sought) -> Result<Option<Origin>, Error> {
        let mut here = self.commit(commit)?;
        let mut sought = sought;
        let mut sure = false;
        loop {
            let Some(oid) = self.objects.file(&here.tree, sought.file.as_bytes())? else { return Ok(None) };
            let parents = match self.objects.is_cut(&here.commit)? {
                true => Vec::new(),
                false => here.parents.clone(),
            };
            let mut parent = None;
            let mut unread = false;
            for id in &parents {
                let commit = self.commit(id)?;
                let own = self.objects.file(&commit.tree, sought.file.as_bytes())?;
                if own == Some(oid) {
                    parent = Some((commit, sought.clone()));
                    break;
                }
                match self.before(&commit, &here, (own, oid), &sought)? {
                    Found::Here(found) => {
                        parent = Some((commit, found));
                        break;
                    }
                    Found::New { function: false } if !self.is_whole(own, &sought.file)? => {
                        if let Some(found) = self.further_back(&commit, oid, &sought)? {
                            parent = Some(found);
                            break;
                        }
                        (sure, unread) = (true, true);
                    }
                    Found::New { .. } => sure = true,
                    Found::Unknown => return Ok(None),
                }
            }
            match parent {
                Some((commit, found)) => (here, sought) = (commit, found),
                None => {
                    // A root commit was not compared with anything, so whether it has the statement was not looked at.
                    if !sure && !self.has(oid, &sought)? {
                        return Ok(None);
                    }
                    let sure = match (parents.len() < here.parents.len(), unread) {
                        (true, _) => Sure::Cut,
                        (false, true) => Sure::Unread,
                        (false, false) => Sure::Yes,
                    };
                    return Ok(Some(Origin { commit: here, sought, sure }));
                }
            }
            sure = false;
        }
    }

    fn commit(&mut self, id: &str) -> Result<CommitInfo, Error> {
        if let Some(known) = self.commits.get(id) {
            return Ok(known.clone());
        }
        let commit = self.objects.commit(id)?;
        self.commits.insert(id.to_owned(), commit.clone());
        Ok(commit)
    }

    fn module(&mut self, oid: Oid, path: &str) -> Result<Arc<Module>, Error> {
        Ok(self.read(oid, path)?.module)
    }

    /// Whether a version of a file could be read as it is written; one that is not there could.
    fn is_whole(&mut self, oid: Option<Oid>, path: &str) -> Result<bool, Error> {
        oid.map_or(Ok(true), |oid| Ok(self.read(oid, path)?.whole))
    }

    fn read(&mut self, oid: Oid, path: &str) -> Result<File, Error> {
        if let Some(known) = self.files.get(&(oid, path.to_owned())) {
            return Ok(known.clone());
        }
        let content = self.objects.blob(oid)?;
        let unit = hydrogen_syntax::read(path, &content, &hydrogen_syntax::Options::default());
        let whole = unit.problems.is_empty() && unit.failed.is_none();
        let file = File { module: Arc::new(unit.module), whole };
        if self.files.len() >= KEPT {
            self.files.clear();
        }
        self.files.insert((oid, path.to_owned()), file.clone());
        Ok(file)
    }

    /// Looks past versions of a file that cannot be read: the nearest one that can, and what is sought in it.
    fn further_back(
        &mut self,
        unread: &CommitInfo,
        oid: Oid,
        sought: &Sought,
    ) -> Result<Option<(CommitInfo, Sought)>, Error> {
        let mut commit = unread.clone();
        for _ in 0..FURTHEST {
            if self.objects.is_cut(&commit.commit)? {
                return Ok(None);
            }
            let Some(parent) = commit.parents.first().cloned() else { return Ok(None) };
            commit = self.commit(&parent)?;
            let Some(own) = self.objects.file(&commit.tree, sought.file.as_bytes())? else { return Ok(None) };
            let sides = [vec![self.module(own, &sought.file)?], vec![self.module(oid, &sought.file)?]];
            match compare(sides, sought) {
                Found::Here(found) => return Ok(Some((commit, found))),
                Found::New { function: false } if !self.is_whole(Some(own), &sought.file)? => {}
                Found::New { .. } | Found::Unknown => return Ok(None),
            }
        }
        Ok(None)
    }

    fn has(&mut self, oid: Oid, sought: &Sought) -> Result<bool, Error> {
        let graph = graph_of(&[vec![self.module(oid, &sought.file)?]]);
        Ok(graph.is_some_and(|graph| find(&graph, VersionId(0), sought).is_some()))
    }

    /// What a commit's parent has of what is sought in the commit: in the same file, else in any that the step touches.
    fn before(
        &mut self,
        parent: &CommitInfo,
        child: &CommitInfo,
        (own, oid): (Option<Oid>, Oid),
        sought: &Sought,
    ) -> Result<Found, Error> {
        let new = vec![self.module(oid, &sought.file)?];
        let mut here = Found::Unknown;
        if let Some(own) = own {
            here = compare([vec![self.module(own, &sought.file)?], new.clone()], sought);
            if !matches!(here, Found::New { .. }) {
                return Ok(here);
            }
        }
        let changed = self.objects.changes(Some(&parent.tree), &child.tree)?;
        let is_c = |file: &&FileEntry| hydrogen_model::sources::is_c(file);
        let (mut old_files, mut new_files) = (Vec::new(), Vec::new());
        for one in &changed {
            let (old, new) = match &one.change {
                Change::Added(new) => (None, Some(new)),
                Change::Deleted(old) => (Some(old), None),
                Change::Modified { old, new } => (Some(old), Some(new)),
            };
            old_files.extend(old.filter(is_c));
            new_files.extend(new.filter(is_c));
        }
        if old_files.len() > MANY || old_files.iter().all(|file| file.path == sought.file.as_bytes()) {
            return Ok(match own {
                Some(_) => here,
                None => compare([Vec::new(), new], sought),
            });
        }
        let mut sides = [Vec::new(), Vec::new()];
        for (side, files) in [(0, old_files), (1, new_files)] {
            for file in files {
                let path = String::from_utf8_lossy(&file.path).into_owned();
                sides[side].push(self.module(file.oid, &path)?);
            }
        }
        Ok(compare(sides, sought))
    }
}

/// What a comparison with a parent says.
enum Found {
    /// The parent has it, as this.
    Here(Sought),
    /// The parent has it not; whether it has the function.
    New { function: bool },
    /// It cannot even be found in the child.
    Unknown,
}

fn graph_of(versions: &[Vec<Arc<Module>>]) -> Option<Graph> {
    let inputs = versions.iter().enumerate().map(|(at, modules)| {
        let parents = at.checked_sub(1).map(VersionId::at).into_iter().collect();
        let info = VersionInfo { name: at.to_string(), parents, ..VersionInfo::default() };
        VersionInput::from_modules(info, modules.iter().map(Arc::as_ref))
    });
    Graph::build(inputs).ok()
}

fn compare(versions: [Vec<Arc<Module>>; 2], sought: &Sought) -> Found {
    const OLD: VersionId = VersionId(0);
    const NEW: VersionId = VersionId(1);
    let Some(graph) = graph_of(&versions) else { return Found::Unknown };
    let Some((chain, node)) = find(&graph, NEW, sought) else { return Found::Unknown };
    let there = graph.chain_in(chain, OLD) && node.is_none_or(|node| graph.node_in(node, OLD));
    let (chain, node) = match (there, node.and_then(|node| moved_from(&graph, node, (OLD, NEW)))) {
        (true, _) => (chain, node),
        (false, Some(from)) => (graph.chain(from), Some(from)),
        (false, None) => return Found::New { function: graph.chain_in(chain, OLD) },
    };
    let (file, head) = graph.location(chain, OLD);
    let (line, text) = match node {
        Some(node) => (graph.line(node, OLD).unwrap_or(head), graph.label(node)),
        None => (head, graph.name(chain, OLD).to_owned()),
    };
    Found::Here(Sought { file: file.to_owned(), line, text, function: sought.function })
}

/// Fewer letters and digits than this do not tell one statement from another; git asks as much of a line.
const TELLING: usize = 20;

/// So many tell it from others of its function, if that has it once before and once after.
const TELLING_INSIDE: usize = 6;

/// Where a new statement was taken from: the same text is gone from there, in the same function or in another one. Several of
/// the same text go in their order.
fn moved_from(graph: &Graph, node: NodeId, (old, new): (VersionId, VersionId)) -> Option<NodeId> {
    let text = graph.text(node);
    let telling = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    let alike = |at: NodeId| {
        graph.text(at) == text && graph.part(at) == graph.part(node) && graph.role(at) == graph.role(node)
    };
    let only = |nodes: &[NodeId], here: VersionId, there: VersionId| -> Vec<NodeId> {
        let only = |&at: &NodeId| alike(at) && graph.node_in(at, here) && !graph.node_in(at, there);
        nodes.iter().copied().filter(only).collect()
    };
    let own: Vec<NodeId> = graph.chain_nodes(graph.chain(node)).to_vec();
    if telling < TELLING {
        let has = |version: VersionId| {
            let all = own.iter().copied().filter(|&at| alike(at) && graph.node_in(at, version));
            all.collect::<Vec<NodeId>>()
        };
        return match (&has(old)[..], &has(new)[..]) {
            ([from], [_]) if telling >= TELLING_INSIDE => Some(*from),
            _ => moved_along(graph, node, (old, new)),
        };
    }
    let all = graph.chains().flat_map(|chain| graph.chain_nodes(chain).iter().copied()).collect();
    for nodes in [own, all] {
        let (gone, came) = (only(&nodes, old, new), only(&nodes, new, old));
        if let Some(from) = came.iter().position(|&at| at == node).and_then(|at| gone.get(at)) {
            return Some(*from);
        }
    }
    None
}

/// Where a statement was taken from together with those around it: the same texts are gone from one function, in the same order. Together they
/// tell what a short one alone does not. A body that became a function of its own is such a run.
fn moved_along(graph: &Graph, node: NodeId, (old, new): (VersionId, VersionId)) -> Option<NodeId> {
    let only = |chain: ChainId, here: VersionId, there: VersionId| -> Vec<NodeId> {
        let all = graph.lines(chain, here).into_iter().map(|(node, _)| node);
        all.filter(|&node| !graph.node_in(node, there)).collect()
    };
    let alike = |one: NodeId, other: NodeId| {
        graph.text(one) == graph.text(other)
            && graph.part(one) == graph.part(other)
            && graph.role(one) == graph.role(other)
    };
    let telling = |node: &NodeId| graph.text(*node).bytes().filter(u8::is_ascii_alphanumeric).count();
    let came = only(graph.chain(node), new, old);
    let at = came.iter().position(|&one| one == node)?;
    let mut best: Option<(usize, NodeId)> = None;
    for chain in graph.chains().filter(|&chain| graph.chain_in(chain, old)) {
        let gone = only(chain, old, new);
        for (from, _) in gone.iter().enumerate().filter(|(_, one)| alike(node, **one)) {
            let same = |pair: &(&NodeId, &NodeId)| alike(*pair.0, *pair.1);
            let before = came[..at].iter().rev().zip(gone[..from].iter().rev()).take_while(same);
            let behind = came[at..].iter().zip(&gone[from..]).take_while(same);
            let told: usize = before.chain(behind).map(|(one, _)| telling(one)).sum();
            if told >= TELLING && best.is_none_or(|(most, _)| told > most) {
                best = Some((told, gone[from]));
            }
        }
    }
    best.map(|(_, from)| from)
}

/// What is sought in a version: a function, and a statement in it. Without its headers a file can be read a little
/// differently, so a statement that is alone on its line needs not have the very text.
fn find(graph: &Graph, version: VersionId, sought: &Sought) -> Option<(ChainId, Option<NodeId>)> {
    if sought.function {
        let here = |chain: &ChainId| {
            graph.chain_in(*chain, version) && graph.location(*chain, version).0 == sought.file
        };
        let named = graph.chains_named(&sought.text).into_iter().filter(here);
        let mut named: Vec<ChainId> = named.collect();
        named.sort_by_key(|chain| graph.location(*chain, version).1.abs_diff(sought.line));
        return named.first().map(|chain| (*chain, None));
    }
    let nodes = graph.nodes_at(version, &sought.file, sought.line);
    let is_it = |node: &&NodeId| graph.label(**node) == sought.text || graph.text(**node) == sought.text;
    let same = nodes.iter().find(is_it);
    let node = same.or(if nodes.len() == 1 { nodes.first() } else { None })?;
    Some((graph.chain(*node), Some(*node)))
}
