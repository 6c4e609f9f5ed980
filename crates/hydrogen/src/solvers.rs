//! The solver that the user names.

use anyhow::{Result, bail};
use hydrogen_term::Solver;

/// The solver of this name; the standard one without.
pub fn named(name: Option<&str>) -> Result<Box<dyn Solver + Send>> {
    let Some(name) = name else { return Ok(hydrogen_term::standard()) };
    match hydrogen_term::by_name(name) {
        Some(solver) => Ok(solver),
        None => bail!("there is no solver `{name}`: it is not built in and no program of that name is found"),
    }
}
