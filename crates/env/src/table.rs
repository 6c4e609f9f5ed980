//! The system calls and what they do to memory, as data: `calls.txt`, one line a call.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a call is about, which decides how it is answered in a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It asks and changes nothing.
    Info,
    /// It makes a descriptor of a path.
    Open,
    /// It works on descriptors.
    Fd,
    /// It changes names, modes or contents of files by path.
    Fs,
    /// It is about sockets.
    Net,
    /// It is about the memory of the process.
    Mem,
    /// It starts, ends or waits for processes and threads.
    Proc,
    /// It is about signals.
    Sig,
    /// It changes the state of the process: folder, mask, limits, user.
    Set,
    /// It waits for other threads or for time.
    Sync,
    /// It is run as it is, in every mode.
    Other,
}

/// What an argument is, and which memory it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A number.
    Number,
    /// A set of bits.
    Bits,
    /// An address without a meaning outside of the process.
    Address,
    /// A descriptor.
    Fd,
    /// The descriptor of the folder that the next path begins at.
    Dir,
    /// The path of a file.
    Path,
    /// Another text that ends with a zero.
    Text,
    /// Bytes that the kernel reads; the length is another argument.
    InBy(usize),
    /// So many bytes that the kernel reads.
    In(usize),
    /// Bytes that the kernel writes: as many as the call returns, times a size.
    OutByReturn(usize),
    /// Bytes that the kernel writes: as many as another argument says.
    OutBy(usize),
    /// So many bytes that the kernel writes.
    Out(usize),
    /// So many bytes that it reads and writes.
    InOut(usize),
    /// A length that it reads and writes.
    Length,
    /// A list of buffers that it reads; the count is another argument.
    VectorIn(usize),
    /// A list of buffers that it fills.
    VectorOut(usize),
    /// A message that is sent.
    MessageIn,
    /// A message that is received.
    MessageOut,
    /// The address of a socket; the length is another argument.
    SocketIn(usize),
    /// The same, written; the length stands where another argument points to.
    SocketOut(usize),
    /// Descriptors to wait for; the count is another argument.
    Poll(usize),
    /// A set of descriptors, as many as the first argument says.
    FdSet,
    /// A list of texts.
    Texts,
}

/// One system call.
#[derive(Debug)]
pub struct Call {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
    /// Whether it may wait.
    pub waits: bool,
    /// Its arguments.
    pub args: Vec<Arg>,
}

static TABLE: LazyLock<HashMap<u64, Call>> = LazyLock::new(|| {
    include_str!("calls.txt").lines().filter_map(read).map(|call| (call.number, call)).collect()
});

/// The call of that number, if it is known.
pub fn call(number: u64) -> Option<&'static Call> {
    TABLE.get(&number)
}

/// The number of the call of that name.
pub fn number(name: &str) -> Option<u64> {
    TABLE.values().find(|call| call.name == name).map(|call| call.number)
}

/// The name of a call, or its number.
pub fn name(number: u64) -> String {
    call(number).map_or_else(|| format!("call_{number}"), |call| call.name.to_owned())
}

fn read(line: &'static str) -> Option<Call> {
    let mut words = line.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let name = words.next()?;
    let kind = words.next()?;
    let waits = kind.ends_with('!');
    let kind = match kind.trim_end_matches('!') {
        "info" => Kind::Info,
        "open" => Kind::Open,
        "fd" => Kind::Fd,
        "fs" => Kind::Fs,
        "net" => Kind::Net,
        "mem" => Kind::Mem,
        "proc" => Kind::Proc,
        "sig" => Kind::Sig,
        "set" => Kind::Set,
        "sync" => Kind::Sync,
        _ => Kind::Other,
    };
    Some(Call { number, name, kind, waits, args: words.map(argument).collect() })
}

fn argument(word: &str) -> Arg {
    let (head, rest) = word.split_once([':', '=']).unwrap_or((word, ""));
    let (rest, size) = rest.split_once('*').unwrap_or((rest, "1"));
    let size = size.parse().unwrap_or(1);
    let by = rest.parse().unwrap_or(0);
    match head {
        "x" => Arg::Bits,
        "p" => Arg::Address,
        "fd" => Arg::Fd,
        "dir" => Arg::Dir,
        "path" => Arg::Path,
        "str" => Arg::Text,
        "in" if word.contains('=') => Arg::In(by),
        "in" => Arg::InBy(by),
        "out" if word.contains('=') => Arg::Out(by),
        "out" if rest == "ret" => Arg::OutByReturn(size),
        "out" => Arg::OutBy(by),
        "inout" => Arg::InOut(by),
        "lenptr" => Arg::Length,
        "iovin" => Arg::VectorIn(by),
        "iovout" => Arg::VectorOut(by),
        "msgin" => Arg::MessageIn,
        "msgout" => Arg::MessageOut,
        "addr" => Arg::SocketIn(by),
        "addrout" => Arg::SocketOut(by),
        "poll" => Arg::Poll(by),
        "sel" => Arg::FdSet,
        "argv" => Arg::Texts,
        _ => Arg::Number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let lines =
            include_str!("calls.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        assert_eq!(lines.count(), TABLE.len());
        assert!(TABLE.len() > 250);
    }

    #[test]
    fn effects_are_those_of_the_manual() {
        let read = call(0).expect("read");
        assert_eq!(
            (read.name, read.kind, read.waits, &read.args[..]),
            ("read", Kind::Fd, true, &[Arg::Fd, Arg::OutByReturn(1), Arg::Number][..])
        );
        let wait = call(232).expect("epoll_wait");
        assert_eq!(wait.args[1], Arg::OutByReturn(12));
        let stat = call(262).expect("newfstatat");
        assert_eq!(&stat.args[..3], [Arg::Dir, Arg::Path, Arg::Out(144)]);
        assert_eq!(number("openat"), Some(257));
        // No argument names one that a call has not.
        for call in TABLE.values() {
            for arg in &call.args {
                if let Arg::InBy(by)
                | Arg::OutBy(by)
                | Arg::VectorIn(by)
                | Arg::SocketIn(by)
                | Arg::Poll(by) = arg
                {
                    assert!(*by < call.args.len(), "{call:?}");
                }
            }
        }
    }
}
