//! Measuring.

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Does the work so many times. Noise only ever adds: the fastest counts.
pub fn fastest<T>(times: usize, mut work: impl FnMut() -> Result<T>) -> Result<(Duration, T)> {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..times {
        let start = Instant::now();
        let value = work()?;
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(known, _)| time < *known) {
            best = Some((time, value));
        }
    }
    best.context("measured at least once")
}

/// Processor time of this thread so far: what others on the machine do does not count.
pub fn own_time() -> Result<Duration> {
    on_processor("/proc/thread-self/schedstat")
}

/// What a program writes, and the processor time that it took.
pub fn program_time(command: &mut Command) -> Result<(Duration, Vec<u8>)> {
    let mut child = command.stdout(std::process::Stdio::piped()).spawn()?;
    let mut output = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        std::io::Read::read_to_end(&mut stdout, &mut output)?;
    }
    // Once it has ended, and before it is waited for, its times are all there.
    let folder = format!("/proc/{}", child.id());
    let ended = || -> Result<bool> {
        let stat = std::fs::read_to_string(format!("{folder}/stat"))?;
        Ok(stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
    };
    while !ended()? {
        std::thread::sleep(Duration::from_millis(1));
    }
    let time = on_processor(&format!("{folder}/schedstat"))?;
    child.wait()?;
    Ok((time, output))
}

fn on_processor(file: &str) -> Result<Duration> {
    let text = std::fs::read_to_string(file)?;
    let nanoseconds = text.split(' ').next().context("three numbers")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// Runs a compiler on every file, as many at a time as there are cores, as `make -j` does.
pub fn compile(files: &[PathBuf], compiler: impl Fn(&PathBuf) -> Command + Sync) -> Duration {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    drop(compiler(file).status());
                }
            });
        }
    });
    start.elapsed()
}
