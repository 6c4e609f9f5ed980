//! The code of functions, by version, file and name.

#![allow(clippy::unwrap_used)]

use hydrogen_graph::{VersionId, VersionInfo};
use hydrogen_history::cache::Cache;
use hydrogen_history::checkout::Checkouts;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::{Source, Version};
use hydrogen_model::{Modeller, Quiet, Settings};
use hydrogen_series::{Code, CodeError, Listener, Options, build};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

struct Nobody;

impl Listener for Nobody {
    fn version(&self, _: &VersionInfo) {}
    fn left_out(&self, _: &str, _: &str) {}
}

#[test]
fn functions_are_found_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let version = |name: &str, files: &[(&str, &str)]| {
        let root = folder.path().join(name);
        std::fs::create_dir(&root).unwrap();
        for (file, text) in files {
            std::fs::write(root.join(file), text).unwrap();
        }
        Version { name: name.into(), source: Source::Directory(root) }
    };
    let helper = "static int help(void) { return 1; }\n";
    let other = "static int help(void) { return 2; }\nint g(void) { return help(); }\n";
    let versions = [
        version("v1", &[("a.c", helper), ("b.c", other)]),
        version("v2", &[("a.c", "int f(void) { return 3; }\n"), ("b.c", other)]),
    ];
    let trees: Arc<Trees> = Arc::default();
    let checkouts = Checkouts::with_trees(&folder.path().join("checkouts"), Arc::clone(&trees)).unwrap();
    let cache = Arc::new(Cache::open(&folder.path().join("cache"), 1 << 30).unwrap());
    let settings = Settings {
        jobs: 1,
        lower: "hydrogen-lower".into(),
        wrapper: "hydrogen-cc".into(),
        compiler: "clang-19".into(),
        extra_arguments: Vec::new(),
        build_time: Some(std::time::Duration::from_secs(60)),
        user: None,
        retry: false,
        cancel: Arc::new(AtomicBool::new(false)),
        progress: Arc::new(Quiet),
    };
    let modeller = Modeller::new(trees, checkouts, cache, settings).unwrap();
    let options = Options { syntax: true, ..Options::default() };
    let graph = build(&modeller, versions.to_vec(), options, &Nobody).unwrap();
    let code = Code::new(&modeller, &graph, &versions, true);
    let (one, two) = (VersionId(0), VersionId(1));
    for version in [one, two] {
        for chain in graph.chains().filter(|&chain| graph.chain_in(chain, version)) {
            let (module, id) = code.of_chain(&graph, chain, version).unwrap();
            let function = module.function(id);
            assert_eq!(function.name, graph.name(chain, version));
            assert_eq!(function.pieces.len(), graph.pieces(chain, version).len());
        }
    }
    let text = |file: &str| {
        let (module, id) = code.function(one, file, "help").unwrap();
        module.function(id).pieces.iter().map(|piece| piece.text.clone()).collect::<String>()
    };
    assert_eq!((text("a.c").as_str(), text("b.c").as_str()), ("return 1", "return 2"));
    let gone = code.function(two, "a.c", "help").unwrap_err();
    assert_eq!(gone.to_string(), "version v2 has no function `help` in a.c");
    assert_eq!(code.function(VersionId(9), "a.c", "f").unwrap_err(), CodeError::Version(9));
}
