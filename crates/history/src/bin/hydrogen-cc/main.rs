//! The compiler wrapper.
fn main() {}
