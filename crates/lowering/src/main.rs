//! The child process.
fn main() {}
