//! What specs resolve to, and what is said when they do not.

use std::collections::{BTreeMap, BTreeSet};

use hydrogen_history::version::{Error, Source, Version, resolve, resolve_with};

use crate::fixture::{Repo, git};

fn names(versions: &[Version]) -> Vec<&str> {
    versions.iter().map(|version| version.name.as_str()).collect()
}

fn commits(versions: &[Version]) -> Vec<&str> {
    versions
        .iter()
        .map(|version| match &version.source {
            Source::Commit(commit) => commit.commit.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

/// main: c0 c1 c2 merge(topic: t1 t2) c4, with tags.
fn branched() -> Repo {
    let repo = Repo::new();
    for i in 0..3 {
        repo.write("f", format!("{i}"));
        repo.commit(&format!("c{i}\n\nbody"));
    }
    repo.git(&["tag", "v1.9"]);
    repo.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
    for i in 0..2 {
        repo.write(format!("t{i}"), "t");
        repo.commit(&format!("t{i}"));
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    repo.write("f", "4");
    repo.commit("c4");
    repo.git(&["tag", "-a", "-m", "annotated", "v1.10"]);
    repo.git(&["tag", "other"]);
    repo
}

#[test]
fn names_of_every_kind_resolve_as_git_does() {
    let repo = branched();
    let short = repo.git(&["rev-parse", "--short", "HEAD~2"]).trim().to_string();
    for spec in ["HEAD", "main", "topic", "HEAD~2", "v1.9", "v1.10", "HEAD~1^2", "main@{0}", &short, ":/t1"] {
        let expect = repo.git(&["log", "-1", "--format=%H", spec, "--"]);
        assert_eq!(commits(&repo.resolve(&[spec]).unwrap()), [expect.trim()], "{spec}");
    }
    let Source::Commit(info) = repo.version("HEAD").source else { panic!() };
    assert_eq!((info.summary.as_str(), info.author.as_str()), ("c4", "A U Thor <author@example.com>"));
    assert_eq!(info.tree, repo.git(&["rev-parse", "HEAD^{tree}"]).trim());
    assert_eq!(info.parents, [repo.git(&["rev-parse", "HEAD~1"]).trim()]);
    assert_eq!(info.time.to_string(), repo.git(&["log", "-1", "--format=%at"]).trim());
}

/// The commits that git lists for a range are found, each behind its parents.
fn same_commits(repo: &Repo, found: &[Version], range: &str) {
    let expect = repo.git(&["rev-list", "--parents", range]);
    let found = commits(found);
    let places: BTreeMap<&str, usize> = found.iter().copied().zip(0..).collect();
    assert_eq!(places.len(), found.len(), "{range}: a commit is there twice");
    assert_eq!(found.len(), expect.lines().count(), "{range}");
    for line in expect.lines() {
        let mut ids = line.split(' ');
        let place = places[ids.next().unwrap()];
        assert!(ids.filter_map(|parent| places.get(parent)).all(|parent| *parent < place), "{range}: {line}");
    }
}

#[test]
fn a_range_is_in_topological_order_oldest_first() {
    let repo = branched();
    for range in ["main~4..main", "v1.9..v1.10", "topic..main", "main~2..", "HEAD~4..topic"] {
        let found = repo.resolve(&[range]).unwrap();
        same_commits(&repo, &found, range);
    }
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Sixty commits with one to three parents each; `skew` seconds of disorder in their clocks.
fn random_history(repo: &Repo, random: &mut Random, skew: u64) -> Vec<String> {
    let mut made = vec![repo.commit("root")];
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]).trim().to_string();
    for i in 0..60u64 {
        repo.set_clock(1_600_001_000 + 60 * i + random.below(skew + 1));
        let count = 1 + random.below(3).min(1) + u64::from(random.below(8) == 0);
        let mut parents: Vec<String> = Vec::new();
        for _ in 0..count {
            let parent = made[made.len() - 1 - random.below(made.len().min(8) as u64) as usize].clone();
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        let message = format!("m{i}");
        let mut arguments = vec!["commit-tree", tree.as_str(), "-m", message.as_str()];
        for parent in &parents {
            arguments.extend(["-p", parent.as_str()]);
        }
        made.push(repo.git(&arguments).trim().to_string());
    }
    made
}

#[test]
fn ranges_of_random_histories_equal_gits() {
    let repo = Repo::new();
    let mut random = Random(7);
    let made = random_history(&repo, &mut random, 0);
    for _ in 0..40 {
        let range = format!("{}..{}", made[random.below(61) as usize], made[random.below(61) as usize]);
        match repo.resolve(&[&range]) {
            Ok(found) => same_commits(&repo, &found, &range),
            Err(Error::EmptyRange { .. }) => assert_eq!(repo.git(&["rev-list", &range]), "", "{range}"),
            Err(other) => panic!("{range}: {other}"),
        }
    }
}

/// Git's own ranges can be wrong when clocks are; the difference of two complete listings cannot.
#[test]
fn ranges_are_right_when_clocks_are_wrong() {
    let repo = Repo::new();
    let mut random = Random(11);
    let made = random_history(&repo, &mut random, 100_000);
    let reach = |tip: &str| repo.git(&["rev-list", tip]).lines().map(String::from).collect::<BTreeSet<_>>();
    for _ in 0..40 {
        let (a, b) = (&made[random.below(61) as usize], &made[random.below(61) as usize]);
        let expect: BTreeSet<String> = reach(b).difference(&reach(a)).cloned().collect();
        let found = match repo.resolve(&[&format!("{a}..{b}")]) {
            Ok(found) => commits(&found).into_iter().map(String::from).collect::<Vec<_>>(),
            Err(Error::EmptyRange { .. }) => Vec::new(),
            Err(other) => panic!("{a}..{b}: {other}"),
        };
        for (at, commit) in found.iter().enumerate() {
            let parents = repo.git(&["rev-parse", &format!("{commit}^@")]);
            assert!(
                parents.lines().all(|parent| !found[at..].iter().any(|later| later == parent)),
                "parents first"
            );
        }
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expect, "{a}..{b}");
    }
}

#[test]
fn an_empty_range_says_so() {
    let repo = branched();
    let message = repo.resolve(&["main..v1.9"]).unwrap_err().to_string();
    assert!(message.contains("is empty") && message.contains("did you mean `v1.9..main`?"), "{message}");
    let message = repo.resolve(&["v1.9...main"]).unwrap_err().to_string();
    assert!(message.contains("symmetric difference"), "{message}");
}

#[test]
fn tags_come_in_the_order_of_releases() {
    let repo = branched();
    assert_eq!(names(&repo.resolve(&["v*"]).unwrap()), ["v1.9", "v1.10"]);
    assert_eq!(names(&repo.resolve(&["tag:v1.1[0-9]"]).unwrap()), ["v1.10"]);
    assert_eq!(names(&repo.resolve(&["tag:other"]).unwrap()), ["other"]);
    let message = repo.resolve(&["v2.*"]).unwrap_err().to_string();
    assert!(message.starts_with("no tag matches `v2.*`"), "{message}");
    let message = repo.resolve(&["v[1"]).unwrap_err().to_string();
    assert!(message.contains("not a valid tag pattern"), "{message}");
}

#[test]
fn an_unknown_name_gets_the_nearest_ones() {
    let repo = branched();
    let Err(Error::Unknown { nearest, .. }) = repo.resolve(&["mian"]) else { panic!() };
    assert_eq!(nearest, ["main"]);
    let message = repo.resolve(&["topc~1"]).unwrap_err().to_string();
    assert_eq!(message, "unknown version `topc~1`; did you mean `topic`?");
    let message = repo.resolve(&["1.9..main"]).unwrap_err().to_string();
    assert!(message.contains("did you mean `v1.9`"), "{message}");
    let message = repo.resolve(&["HEAD~99"]).unwrap_err().to_string();
    assert!(message.contains("`HEAD` exists, and its history does not go back that far"), "{message}");
    let message = repo.resolve(&[""]).unwrap_err().to_string();
    assert!(message.contains("empty version name"), "{message}");
    assert!(matches!(repo.resolve(&["HEAD:f"]), Err(Error::NotACommit { .. })));
}

#[test]
fn an_ambiguous_hash_names_its_candidates() {
    let repo = Repo::new();
    // More than sixteen blobs share a first digit with another one; git's shortest prefix is four digits.
    let mut seen = BTreeMap::new();
    let mut ambiguous = None;
    for i in 0..2000 {
        let id = hydrogen_history::Oid::of_blob(format!("{i}\n").as_bytes()).to_string();
        if let Some(other) = seen.insert(id[..4].to_string(), i) {
            ambiguous = Some((id[..4].to_string(), other, i));
            break;
        }
    }
    let (prefix, a, b) = ambiguous.expect("two of 2000 hashes share four digits");
    repo.write("a", format!("{a}\n"));
    repo.write("b", format!("{b}\n"));
    repo.commit("two");
    let error = repo.resolve(&[&prefix]).unwrap_err();
    let Error::Ambiguous { candidates, .. } = &error else { panic!("{error}") };
    assert_eq!(candidates.len(), 2, "{error}");
}

#[test]
fn an_empty_repository_says_so() {
    let repo = Repo::new();
    assert!(matches!(repo.resolve(&["HEAD"]), Err(Error::EmptyRepository { .. })));
    assert!(matches!(repo.resolve(&["main..x"]), Err(Error::EmptyRepository { .. })));
}

#[test]
fn outside_of_a_repository_only_paths_work() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("old program")).unwrap();
    std::fs::write(dir.path().join("m.bc"), b"BC").unwrap();
    let specs = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
    let found = resolve(&specs(&["a=old program", "old program", "m.bc", "n=m.bc"]), dir.path()).unwrap();
    assert_eq!(names(&found), ["a", "old program", "m", "n"]);
    let error = resolve(&specs(&["HEAD"]), dir.path()).unwrap_err();
    assert!(matches!(error, Error::NotARepository { .. }));
    assert!(error.to_string().contains("`name=path`"), "{error}");
    assert!(matches!(resolve(&specs(&["a=nowhere"]), dir.path()), Err(Error::Missing { .. })));
    std::fs::write(dir.path().join("x.c"), b"").unwrap();
    assert!(matches!(resolve(&specs(&["a=x.c"]), dir.path()), Err(Error::NotAProgram { .. })));
}

#[test]
fn one_name_means_one_version() {
    let repo = branched();
    assert_eq!(names(&repo.resolve(&["main", "main", "v1.9"]).unwrap()), ["main", "v1.9"]);
    std::fs::create_dir(repo.dir.path().join("x")).unwrap();
    assert!(matches!(repo.resolve(&["main", "main=../x"]), Err(Error::SameName { .. })));
}

#[test]
fn aliases_stand_for_lists_and_refs_shadow_them() {
    let repo = branched();
    let aliases = BTreeMap::from([
        ("releases".to_string(), vec!["v*".to_string()]),
        ("main".to_string(), vec!["v1.9".to_string()]),
    ]);
    let found = resolve_with(&["releases".into(), "main".into()], &repo.path, &aliases).unwrap();
    assert_eq!(names(&found), ["v1.9", "v1.10", "main"]);
}

#[test]
fn a_shallow_clone_knows_where_it_ends() {
    let repo = Repo::new();
    for i in 0..8 {
        repo.write("f", format!("{i}"));
        repo.commit(&format!("c{i}"));
    }
    let url = format!("file://{}", repo.path.display());
    git(repo.dir.path(), &["clone", "-q", "--depth", "4", &url, "shallow"], 1_700_000_000);
    let shallow = repo.dir.path().join("shallow");
    let get = |spec: &str| resolve(&[spec.to_string()], &shallow);
    assert_eq!(get("HEAD~2..HEAD").unwrap().len(), 2);
    assert_eq!(get("HEAD~3..HEAD").unwrap().len(), 3);
    for spec in ["HEAD~6..HEAD", "HEAD~6"] {
        let message = get(spec).unwrap_err().to_string();
        assert!(
            message.starts_with("shallow clone:") && message.contains("git fetch --unshallow"),
            "{message}"
        );
    }
    // An unrelated line of history makes the range run into the cut.
    git(&shallow, &["checkout", "-q", "--orphan", "lone"], 1_700_000_000);
    git(&shallow, &["commit", "-q", "--allow-empty", "-m", "lone"], 1_700_000_000);
    let error = get("lone..main").unwrap_err();
    assert!(matches!(error, Error::Shallow { .. }), "{error}");
    let old = repo.git(&["rev-parse", "HEAD~6"]);
    let message = get(old.trim()).unwrap_err().to_string();
    assert!(message.contains("shallow clone"), "{message}");
}

#[test]
fn the_repository_is_found_from_below_from_a_worktree_and_bare() {
    let repo = branched();
    let head = repo.git(&["rev-parse", "main"]).trim().to_string();
    std::fs::create_dir_all(repo.path.join("deep/er")).unwrap();
    repo.git(&["worktree", "add", "-q", "../linked", "topic"]);
    git(repo.dir.path(), &["clone", "-q", "--bare", "repo", "bare.git"], 1_700_000_000);
    for place in [
        repo.path.join("deep/er"),
        repo.dir.path().join("linked"),
        repo.dir.path().join("bare.git"),
        repo.path.join(".git"),
    ] {
        let found = resolve(&["main".to_string()], &place).unwrap();
        assert_eq!(commits(&found), [head.as_str()], "{}", place.display());
    }
}

#[test]
fn another_owner_is_no_obstacle() {
    let repo = branched();
    if std::os::unix::fs::chown(&repo.path, Some(12345), Some(12345)).is_err() {
        hydrogen_testkit::skip("another_owner_is_no_obstacle needs root");
        return;
    }
    std::os::unix::fs::chown(repo.path.join(".git"), Some(12345), Some(12345)).unwrap();
    assert_eq!(repo.resolve(&["main"]).unwrap().len(), 1);
}

#[test]
fn packed_objects_and_refs_are_read() {
    let repo = branched();
    let expect = repo.resolve(&["v1.9..main"]).unwrap();
    same_commits(&repo, &expect, "v1.9..main");
    repo.git(&["gc", "-q"]);
    repo.git(&["commit-graph", "write", "--reachable"]);
    assert_eq!(commits(&repo.resolve(&["v1.9..main"]).unwrap()), commits(&expect));
    assert_eq!(names(&repo.resolve(&["v*"]).unwrap()), ["v1.9", "v1.10"]);
}

#[test]
fn sha256_repositories_work() {
    let repo = Repo::with(&["-b", "main", "--object-format=sha256"]);
    repo.write("f", "1");
    let one = repo.commit("one");
    repo.write("f", "2");
    let two = repo.commit("two");
    assert_eq!(commits(&repo.resolve(&["HEAD~1", "HEAD"]).unwrap()), [one.as_str(), two.as_str()]);
    let files = hydrogen_history::tree::files(&repo.version("HEAD")).unwrap();
    assert_eq!(files[0].oid.to_string(), repo.git(&["rev-parse", "HEAD:f"]).trim());
}
