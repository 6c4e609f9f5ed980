//! lowering
fn main() {}
