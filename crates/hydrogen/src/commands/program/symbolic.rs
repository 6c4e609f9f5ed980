//! `--symbolic WHAT`.

use anyhow::{Result, anyhow};
use hydrogen_explore::Symbolic;
use hydrogen_machine::World;

/// What of the input is symbolic; the world has the arguments that are given.
pub fn symbolic(list: &[String], world: &World) -> Result<Symbolic> {
    let found = symbolic_call(list, world)?;
    match found.only.is_empty() {
        true => Ok(found),
        false => Err(anyhow!("`--symbolic param:NAME` and `global:NAME` go with `explore --function NAME`")),
    }
}

/// The same where a single function is called, whose parameters and global variables can be named.
pub fn symbolic_call(list: &[String], world: &World) -> Result<Symbolic> {
    Symbolic::parse(list, &world.args).map_err(|why| anyhow!(why))
}
