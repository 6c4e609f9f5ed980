//! `--symbolic WHAT`.

use anyhow::{Result, anyhow};
use hydrogen_explore::Symbolic;
use hydrogen_machine::World;

/// What of the input is symbolic; the world has the arguments that are given.
pub fn symbolic(list: &[String], world: &World) -> Result<Symbolic> {
    Symbolic::parse(list, &world.args).map_err(|why| anyhow!(why))
}
