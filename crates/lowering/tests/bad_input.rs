//! Malformed input gives an error that names the file, and the next request is answered.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use hydrogen_frontend::protocol::{self, Reply, Request, Stage};
use hydrogen_lowering::llvm::load;
use std::io::Write;
use std::path::Path;
use std::process::{Command as Process, Stdio};

fn bitcode(folder: &Path) -> Vec<u8> {
    let output = folder.join("good.bc");
    let status = Process::new("clang-19")
        .args(["-g", "-emit-llvm", "-c", "-o"])
        .arg(&output)
        .arg(support::c_folder().join("switch.c"))
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(output).unwrap()
}

fn check_rejected(folder: &Path, name: &str, content: &[u8], expect: &str) {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    let message = load(&path).err().expect(name).to_string();
    assert!(message.contains(path.to_str().unwrap()), "{name}: {message}");
    assert!(message.contains(expect), "{name}: {message}");
}

#[test]
fn malformed_files_are_rejected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let good = bitcode(folder.path());
    check_rejected(folder.path(), "empty.bc", b"", "not valid LLVM");
    check_rejected(folder.path(), "noise.bc", b"\x00\x01\x02 not bitcode", "not valid LLVM");
    check_rejected(folder.path(), "header.bc", b"BC\xc0\xde", "not valid LLVM");
    check_rejected(
        folder.path(),
        "text.ll",
        b"define i32 @f() { ret i64 0 }",
        "value doesn't match function result type 'i32'",
    );
    check_rejected(
        folder.path(),
        "broken.ll",
        b"define void @f() { %a = add i32 %b, 1\n %b = add i32 1, 1\n ret void }",
        "breaks LLVM's rules",
    );
    for end in (8..good.len() - 4).step_by(good.len() / 40) {
        check_rejected(folder.path(), &format!("cut{end}.bc"), &good[..end & !3], "");
    }
    assert!(load(&folder.path().join("none.bc")).err().unwrap().to_string().contains("none.bc"));
}

/// Damage in the middle may even crash LLVM: the child dies, its parent sees the end of the conversation.
#[test]
fn flipped_bits_never_hang_or_give_half_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let good = bitcode(folder.path());
    for place in (16..good.len()).step_by(good.len() / 25) {
        let mut bad = good.clone();
        bad[place] ^= 0x55;
        let path = folder.path().join("flipped.bc");
        std::fs::write(&path, &bad).unwrap();
        let request = Request::Bitcode { path: path.to_str().unwrap().into(), root: "/".into() };
        let replies = child(&[request]);
        assert!(replies.len() <= 1);
        if let Some(Reply::Failed { message, .. }) = replies.first() {
            assert!(message.contains("flipped.bc"), "{message}");
        }
    }
}

fn child(requests: &[Request]) -> Vec<Reply> {
    let mut child = Process::new(env!("CARGO_BIN_EXE_hydrogen-lower"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut frames = Vec::new();
    requests.iter().for_each(|request| protocol::write(&mut frames, request).unwrap());
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(&frames));
    let mut output = child.stdout.take().unwrap();
    let mut replies = Vec::new();
    while let Ok(Some(reply)) = protocol::read::<Reply>(&mut output) {
        replies.push(reply);
    }
    child.wait().unwrap();
    writer.join().unwrap().ok();
    replies
}

#[test]
fn the_child_answers_in_order_and_survives_errors() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.c"), "int f( { return missing; }\n").unwrap();
    std::fs::write(folder.path().join("header.c"), "#include \"nowhere.h\"\nint x;\n").unwrap();
    std::fs::write(
        folder.path().join("latin.c"),
        b"char *s = \"\xe4\"; /* \xff */ int f(void) { return 1; }\n",
    )
    .unwrap();
    let long = format!("int f(void) {{ return 0{}; }} /* {} */", " + 1".repeat(2_000), "x".repeat(10 << 20));
    std::fs::write(folder.path().join("long line\n.c"), long).unwrap();
    let model = |name: &str| Request::Model(support::command(&folder.path().join(name), &[]));
    let good = support::c_folder().join("switch.c");
    let replies = child(&[
        model("bad.c"),
        model("header.c"),
        model("none.c"),
        model("latin.c"),
        model("long line\n.c"),
        Request::Bitcode { path: "/none.bc".into(), root: "/".into() },
        Request::Preprocess(support::command(&good, &[])),
        Request::Model(support::command(&good, &["-fno-such-option"])),
    ]);
    let failed = |index: usize, stage: Stage, text: &str| match &replies[index] {
        Reply::Failed { stage: at, message } => {
            assert!(*at == stage && message.contains(text), "{at:?}: {message}");
        }
        other => panic!("{other:?}"),
    };
    failed(0, Stage::Compile, "bad.c:1:8: error: expected");
    failed(1, Stage::Compile, "header.c:1:10: fatal error: 'nowhere.h' file not found");
    failed(2, Stage::Compile, "none.c");
    assert!(matches!(replies[3], Reply::Modelled { .. }), "{:?}", replies[3]);
    assert!(matches!(replies[4], Reply::Modelled { .. }), "{:?}", replies[4]);
    failed(5, Stage::Read, "/none.bc");
    assert!(matches!(&replies[6], Reply::Preprocessed { dependencies, .. }
        if dependencies.iter().any(|path| path.ends_with(b"tests/c/switch.c"))));
    match &replies[7] {
        Reply::Modelled { module, warnings, stats, .. } => {
            let module = hydrogen_ir::codec::decode(module).unwrap();
            assert_eq!(module.name, "switch.c");
            assert_eq!(module.functions.len() as u64, stats.functions);
            // It never reaches the compiler; whoever plans a version's compilation names it.
            assert!(warnings.is_empty(), "{warnings:?}");
            let words: [&[u8]; 1] = [b"-fno-such-option"];
            assert_eq!(hydrogen_frontend::options::sift(&words, b"switch.c").left_out, ["-fno-such-option"]);
        }
        other => panic!("{other:?}"),
    }
}
