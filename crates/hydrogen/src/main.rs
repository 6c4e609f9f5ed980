//! hydrogen
fn main() {}
