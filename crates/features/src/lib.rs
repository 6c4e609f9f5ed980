//! Nothing but dependencies: third-party crates are built with the same features whatever is built, so that building one package does not
//! build half of the others' dependencies again. `cargo hakari generate` writes the list.
